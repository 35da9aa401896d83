"""A page at a time: every line once, no page higher than the window, and a way back."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.display.pager import LeaveError, Pager


class Pressed:
    """Keys that were pressed already; a key of several characters comes one by one."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.left = [list(key) for key in keys]
        self.now: list[str] = []

    def read(self, seconds: float) -> str:
        if seconds < 0.1:  # the rest of the key before
            return self.now.pop(0) if self.now else ""
        if not self.left:
            raise EOFError
        self.now = self.left.pop(0)
        return self.now.pop(0)


CLEAR = "\x1b[H\x1b[2J"
ASK = "<keys>"


def pager(keys: Iterable[str], columns: int, rows: int) -> tuple[Pager, io.StringIO]:
    out = io.StringIO()
    return Pager(out, Pressed(keys), lambda: ASK, lambda: (columns, rows)), out  # type: ignore[arg-type]


def pages_of(text: str) -> list[str]:
    return text.replace("\r\x1b[K", "").split(ASK)


pieces = st.lists(st.lists(st.text("ab 가", max_size=30), min_size=1, max_size=12), max_size=5)


@given(pieces, st.integers(2, 40), st.integers(1, 12))
def test_every_line_is_shown_once_in_pages_that_fit(
    pieces: list[list[str]], columns: int, rows: int
) -> None:
    reader, out = pager(["\n"] * 1000, columns, rows)
    for piece in pieces:
        reader.write("".join(f"{line}\n" for line in piece))
        reader.pause()
    reader.finish()
    pages = pages_of(out.getvalue())
    assert "".join(pages) == "".join(f"{line}\n" for piece in pieces for line in piece)
    for page in pages:
        cells = [sum(2 if c == "가" else 1 for c in line) for line in page.split("\n")[:-1]]
        heights = [max(1, -(-width // columns)) for width in cells]
        assert sum(heights) <= max(rows - 1, 3) or len(heights) == 1


def test_back_and_on_again() -> None:
    keys = ["\n", "\x1b[5~", "b", "b", "x", " ", "\x1b[C".lower(), "n", "\n"]
    reader, out = pager(keys, 80, 4)
    reader.write("1\n2\n3\n4\n5\n6\n7\n")
    reader.pause()
    first, second, third = "1\n2\n3\n", "4\n5\n6\n", "7\n"
    shown = [first, second, CLEAR + first]
    shown += [""] * 3  # further back there is nothing, and x is no key
    shown += [CLEAR + second, third]
    assert pages_of(out.getvalue())[: len(shown)] == shown
    reader.write("8\n")
    reader.pause()
    assert pages_of(out.getvalue())[-2:] == ["8\n", ""]


def test_styles_take_no_room_and_q_leaves() -> None:
    reader, out = pager(["q"], 10, 4)
    reader.write("\x1b[1m" + "a" * 10 + "\x1b[0m\n" * 3)
    with pytest.raises(LeaveError):
        reader.pause()
    assert pages_of(out.getvalue()) == ["\x1b[1m" + "a" * 10 + "\x1b[0m\n" * 3, ""]
    reader.write("never shown\n")
    assert "never" not in out.getvalue()
