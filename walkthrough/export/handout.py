"""A lesson with its results as Markdown: the same form as a lesson's file, results filled in."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from walkthrough.display.screen import Screen
from walkthrough.display.table import Table
from walkthrough.lesson.reading import Prose
from walkthrough.lesson.recording import RecordedStep, Shown, Statement


def handout(steps: Sequence[RecordedStep], *, width: int, precision: int, note: str = "") -> str:
    """The Markdown of a recorded lesson; its tables are as wide as `width` at most.

    The teacher's notes are not in it. `note` stands below the title.
    """
    parts: list[str] = []
    code: list[str] = []
    for item in [item for step in steps for item in [*step.items, None]]:
        if isinstance(item, Statement):
            code += [*_prompted(item.source), *_result(item.shown, width, precision)]
            continue
        if code:
            parts.append(_fenced(code, "python"))
            code = []
        if isinstance(item, Prose):
            parts.append(item.markdown)
            if note and len(parts) == 1:
                title, _, rest = item.markdown.partition("\n")
                parts = [f"{title}\n\n> {note}\n{rest}"]
    return "\n\n".join(parts) + "\n"


def _prompted(source: str) -> list[str]:
    first, *others = source.splitlines()
    return [f">>> {first}", *(f"... {line}".rstrip() for line in others)]


def _result(shown: Sequence[Shown], width: int, precision: int) -> list[str]:
    """What doctest expects to see: an empty line would end it."""
    out = io.StringIO()
    screen = Screen(out, width=width, precision=precision)
    for piece in shown:
        if isinstance(piece, Table):
            screen.table(piece)
        elif isinstance(piece, str):
            screen.write(piece)
        else:
            screen.block(piece.lines)
    return [line or "<BLANKLINE>" for line in out.getvalue().splitlines()]


def _fenced(lines: Iterable[str], language: str) -> str:
    text = "\n".join(lines)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
