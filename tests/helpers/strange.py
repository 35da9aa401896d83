"""Files that somebody has damaged, by hand or by accident."""

from __future__ import annotations

from hypothesis import strategies as st

ODD = [
    "\x00",
    "\x1b[2J",
    "\u202e",
    "\ufeff",
    "\r",
    "\f",
    "\u2028",
    "가",
    "́",
    "'''",
    '"""',
    "[[",
    "]",
]
ODD += ["{", "}", "=", ".", ",", "#", "`" * 3, "~~~", ">>>", "...", "- ", "> ", "<!--", "-->", "-1"]
ODD += ["0", "1e999", "nan", "inf", "99999999999999999999", "0x1", "true", "1979-05-27", "\\", "\t"]


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file with pieces cut out, doubled, moved, or written over."""
    content = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.sampled_from([0, 1, 2, 5, 20, 200])))
        piece = draw(
            st.sampled_from([b"", bytes(content[start:end]) * 2])
            | st.sampled_from(ODD).map(str.encode)
            | st.binary(max_size=9)
        )
        content[start:end] = piece
    return bytes(content)
