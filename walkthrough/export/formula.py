"""A table's title as mathematics: `S / √d_k, block 3` is a formula and a remark.

Titles are written for a terminal. What is not a formula stays the text that it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

_TOKEN = re.compile(
    r"(?P<word>(?:softmax|mask|sum|logits)(?![A-Za-z_]))|(?P<name>[A-Za-z](?:_[A-Za-z]+)?(?![A-Za-z']))"
    r"|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[=·/+\-()√ᵀ^])"
)
_OPENS = re.compile(r"(?:[aAI] [a-z])|\d")  # an article, or a count: no formula begins so


@dataclass(frozen=True)
class Formula:
    """A title: its formula as MathML, or plain text; the remark behind it; its name in sums."""

    html: str
    note: str
    name: str


def formula(title: str) -> Formula:
    """What a title says; "" is nobody's title."""
    end, depth, good = 0, 0, 0
    tokens: list[tuple[str, str]] = []
    kept = 0
    while not _OPENS.match(title) and (found := _TOKEN.match(title, end)):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth < 0:
            break
        tokens.append((str(found.lastgroup), found[0]))
        end = found.end()
        if depth == 0 and re.match(r"$|[, ]", title[end:]) and found[0] not in "=·/+-√^":
            good, kept = end, len(tokens)
        while title[end : end + 1] == " ":
            end += 1
    note = title[good:].lstrip(", ")
    if not good:
        return Formula(escape(title), "", title.partition(",")[0])
    if match := re.match(r"= (?=[a-z]{2})", note):  # "m = largest score of the row"
        right = f"<mo>=</mo><mtext>{escape(note[match.end() :])}</mtext>"
        return Formula(f"<math>{_row(tokens[:kept])}{right}</math>", "", title[:good])
    name, equals, _ = title[:good].partition(" = ")
    if not equals and re.search(r"[·/+\-^]", name):
        name = f"({name})"
    return Formula(f"<math>{_row(tokens[:kept])}</math>", note, name)


def _row(tokens: list[tuple[str, str]]) -> str:
    """MathML of tokens in a row."""
    atoms: list[str] = []
    i = 0
    while i < len(tokens):
        atom, i = _atom(tokens, i)
        if atom == "ᵀ" and atoms:
            atoms[-1] = f'<msup>{atoms[-1]}<mi mathvariant="normal">T</mi></msup>'
        elif atom == "^" and atoms and i < len(tokens):
            above, i = _atom(tokens, i, bare=True)
            atoms[-1] = f"<msup>{atoms[-1]}{above}</msup>"
        else:
            atoms.append(atom)
    return "".join(atoms)


def _atom(tokens: list[tuple[str, str]], i: int, *, bare: bool = False) -> tuple[str, int]:
    """One atom and where the next begins; `bare`: brackets are left out, as in an exponent."""
    kind, text = tokens[i]
    i += 1
    if kind == "word":
        return f"<mtext>{text}</mtext>", i
    if kind == "number":
        return f"<mn>{text}</mn>", i
    if kind == "name":
        base, _, below = text.partition("_")
        tag = "mi" if len(below) == 1 else "mtext"
        return (
            f"<msub><mi>{base}</mi><{tag}>{below}</{tag}></msub>" if below else f"<mi>{base}</mi>"
        ), i
    if text == "√" and i < len(tokens):
        inside, i = _atom(tokens, i, bare=True)
        return f"<msqrt>{inside}</msqrt>", i
    if text == "(":
        depth, start = 1, i
        while depth and i < len(tokens):
            depth += {"(": 1, ")": -1}.get(tokens[i][1], 0)
            i += 1
        inside = _row(tokens[start : i - 1])
        return f"<mrow>{inside if bare else f'<mo>(</mo>{inside}<mo>)</mo>'}</mrow>", i
    if text in "ᵀ^":
        return text, i
    return f"<mo>{text.replace('-', '−')}</mo>", i
