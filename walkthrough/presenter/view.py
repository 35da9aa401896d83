"""How lines are drawn: the room there is, styles, prose, tables."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.theme import Theme

from walkthrough.display.prose import LessonMarkdown
from walkthrough.display.screen import PROSE_STYLES, PROSE_WIDTH, STYLES
from walkthrough.display.table import Line, Table, layout

Segments = list[Segment]
SPACINGS = ((2, 0), (4, 0), (4, 1), (6, 1), (8, 2))  # between columns, between lines

# Told apart by reverse video and underlining, so that they do not depend on colours.
MARK_STYLES = {
    "now": "bold reverse",
    "also": "bold underline",
    "current": "bold",
    "hidden": "",
    "bar": "bold reverse",
}
PALETTE = {name: Style.parse(style) for name, style in (STYLES | MARK_STYLES).items()}


@dataclass(frozen=True)
class View:
    """How to draw: the room in cells and lines, digits, spacing, what the terminal encodes."""

    width: int
    height: int
    precision: int
    readable: Callable[[str], str]
    language: str = "en"
    spacing: int = 0

    @property
    def gap(self) -> str:
        """Between two columns."""
        return " " * SPACINGS[self.spacing][0]

    def spread(self, rows: Sequence[Segments]) -> list[Segments]:
        """Lines with the space between them that the spacing asks for; a rule stays close."""
        found: list[Segments] = []
        for row in rows:
            text = "".join(segment.text for segment in row)
            if found and text.strip(" -─=┼+"):
                found += [[]] * SPACINGS[self.spacing][1]
            found.append(row)
        return found


def prose(markdown: str, view: View) -> list[Segments]:
    """Markdown, rendered."""
    width = min(view.width, PROSE_WIDTH)
    return [list(line) for line in _prose(markdown, width, view.readable)]


def styled(lines: Sequence[Line]) -> list[Segments]:
    """Lines with the styles of their names; what is hidden keeps its room."""
    return [
        [
            Segment(" " * cell_len(text) if name == "hidden" else text, PALETTE.get(name))
            for text, name in line
        ]
        for line in lines
    ]


def table_lines(table: Table, view: View) -> list[Line]:
    """A table in the room there is."""
    return layout(
        table,
        width=view.width,
        precision=view.precision,
        readable=view.readable,
        gap=view.gap,
    )


def fold(lines: Sequence[Line], width: int) -> list[Segments]:
    """Lines with what does not fit on lines of its own: nothing is cut off."""
    folded: list[Line] = []
    for line in lines:
        folded.append([])
        used = 0
        for text, style in line:
            if used + cell_len(text) <= width:
                folded[-1].append((text, style))
                used += cell_len(text)
                continue
            first, *rest = chop_cells(text, width) if not used else ["", *chop_cells(text, width)]
            folded[-1].append((first, style))
            folded += [[(piece, style)] for piece in rest]
            used = cell_len(rest[-1] if rest else first)
    return styled(folded)


@lru_cache(maxsize=512)
def _prose(
    markdown: str, width: int, readable: Callable[[str], str]
) -> tuple[tuple[Segment, ...], ...]:
    console = Console(
        theme=Theme(PROSE_STYLES),
        file=io.StringIO(),
        width=width,
        color_system="standard",  # the 16 colours of the terminal's own palette
        force_terminal=True,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    lines = LessonMarkdown(console, readable).segments(markdown, width)
    return tuple(tuple(line) for line in lines)


def readable_lines(lines: Sequence[Line], view: View) -> list[Line]:
    """Lines in what the terminal can encode."""
    return [[(view.readable(text), style) for text, style in line] for line in lines]
