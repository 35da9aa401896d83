"""Pieces drawn as lines: prose, code, tables, and the board on which a working is done."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.theme import Theme

from walkthrough.classroom.lessons import Prose
from walkthrough.classroom.presenter.board import role
from walkthrough.classroom.presenter.deck import Code, Deck, Piece, Position, Shown
from walkthrough.classroom.presenter.pools import Filmed, pool_table, what_happened
from walkthrough.classroom.prose import LessonMarkdown
from walkthrough.classroom.screen import PROSE_STYLES, PROSE_WIDTH, STYLES
from walkthrough.classroom.table import Line, Table, layout
from walkthrough.classroom.working import Entry, Working, entry_lines

Row = list[Segment]
SPACINGS = ((2, 0), (4, 0), (4, 1), (6, 1), (8, 2))  # between columns, between lines

# Told apart by reverse video and underlining, so that they do not depend on colours.
MARKS = {
    "now": "bold reverse",
    "also": "bold underline",
    "current": "bold",
    "hidden": "",
    "bar": "bold reverse",
}
PALETTE = {name: Style.parse(style) for name, style in (STYLES | MARKS).items()}
ALWAYS = ("X", "Q", "K", "V")  # marked together while attention is worked out
ORDER = (*ALWAYS, "W_Q", "W_K", "W_V")


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

    def spread(self, rows: Sequence[Row]) -> list[Row]:
        """Lines with the space between them that the spacing asks for; a rule stays close."""
        found: list[Row] = []
        for row in rows:
            text = "".join(segment.text for segment in row)
            if found and text.strip(" -─=┼+"):
                found += [[]] * SPACINGS[self.spacing][1]
            found.append(row)
        return found


@lru_cache(maxsize=4)  # a key and the clock ask for the same lines several times
def draw(deck: Deck, at: Position, view: View) -> tuple[Sequence[Row], int]:
    """The step up to a position, and the line at which the piece at the position begins."""
    rows: list[Row] = []
    pieces = deck.slides[at.slide].pieces[: at.piece]
    for piece in pieces:
        rows += [*view.spread(finished(piece, view)), *[[]] * (1 + SPACINGS[view.spacing][1])]
    begin = len(rows)
    rows += view.spread(unfinished(deck.piece(at), deck.shown(at), view))
    return rows, begin


def unfinished(piece: Piece, shown: Shown | None, view: View) -> list[Row]:
    """A piece as far as it is shown."""
    if shown is not None and isinstance(content := piece.content, Filmed):
        asked = shown.entry + 1, shown.terms, view.language
        table = table_lines(pool_table(content, *asked), view)
        return styled([*table, [], *_readable(what_happened(content, *asked), view)])
    if shown is None or piece.working is None:
        return finished(piece, view)
    return blackboard(piece, piece.working, shown, view)


@lru_cache(maxsize=4096)
def finished(piece: Piece, view: View) -> list[Row]:
    """A whole piece."""
    content = piece.content
    if isinstance(content, Prose):
        return prose(content.markdown, view)
    if isinstance(content, Code):
        return _fold(list(_code_lines(content, view)), view.width)
    if isinstance(content, Table):
        return styled(table_lines(content, view))
    if isinstance(content, Filmed):
        table = pool_table(content, len(content.frames), 0, view.language)
        return styled(table_lines(table, view))
    if isinstance(content, str):
        lines: list[Line] = [[(view.readable(line), "")] for line in content.rstrip().split("\n")]
        return _fold(lines, view.width)
    if piece.working is not None:
        entries = piece.working.entries
        return styled(entry_lines(entries, width=view.width, readable=view.readable))
    return _fold(_readable(content.lines, view), view.width)


def _readable(lines: Sequence[Line], view: View) -> list[Line]:
    return [[(view.readable(text), style) for text, style in line] for line in lines]


def prose(markdown: str, view: View) -> list[Row]:
    """Markdown, rendered."""
    width = min(view.width, PROSE_WIDTH)
    return [list(line) for line in _prose(markdown, width, view.readable)]


def styled(lines: Sequence[Line]) -> list[Row]:
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


def _code_lines(code: Code, view: View) -> Sequence[Line]:
    lines: list[Line] = []
    for source in code.sources:
        for i, line in enumerate(source.splitlines()):
            lines.append([(">>> " if i == 0 else "... ", "prompt"), (view.readable(line), "code")])
    return lines


def _fold(lines: Sequence[Line], width: int) -> list[Row]:
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


def blackboard(piece: Piece, working: Working, shown: Shown, view: View) -> list[Row]:
    """The matrices with the cells in play marked, and below them the entries spelled out."""
    room = view.height // (1 + SPACINGS[view.spacing][1])
    least = max(cell_len(view.readable(entry.name)) for entry in working.entries)

    def spelled(entry: Entry) -> list[Line]:
        return entry_lines([entry], width=view.width, readable=view.readable, least=least)

    now = [
        [(text, style or "current") for text, style in line]
        for line in spelled(_current(working, shown))
    ]
    context = [name for name in ALWAYS if name in piece.board]
    while True:  # what only accompanies goes first where there is no room for all of it
        tables = marked(piece, working, shown, context)
        board = side_by_side([table_lines(table, view) for table in tables], view.width)
        if not context or len(board) + 1 + len(now) <= room:
            break
        context.pop(0)
    if len(board) + 1 + len(now) > room:  # the terms are what must be seen in any case
        return styled([*now, [], *board])
    below = now
    for entry in reversed(working.entries[: shown.entry]):  # as many as there is room for
        lines = spelled(entry)
        if len(board) + 1 + len(lines) + len(below) > room:
            break
        below = lines + below
    return styled([*board, [], *below])


def _current(working: Working, shown: Shown) -> Entry:
    """The entry that is being computed, as far as its terms are shown."""
    entry = working.entries[shown.entry]
    result = entry.result if shown.terms == len(entry.terms) else ""
    return replace(entry, terms=entry.terms[: shown.terms], result=result)


def marked(piece: Piece, working: Working, shown: Shown, context: Sequence[str]) -> list[Table]:
    """The tables on the board, their cells in play marked, what is not computed yet hidden."""
    entry = working.entries[shown.entry]
    term = entry.terms[shown.terms - 1]
    done = shown.terms == len(entry.terms)
    computed = {e.place for e in working.entries[: shown.entry + done]}
    hidden = {e.place for e in working.entries} - computed
    also = {place for other in entry.terms for place in other.places}
    now = {*term.places, *([entry.place] if done else [])}
    found: list[Table] = []
    for which, table in enumerate(working.tables):
        marks = [
            [
                "hidden" if (place := (which, i, j)) in hidden
                else "now" if place in now
                else "also" if place in also
                else ""
                for j in range(len(row))
            ]
            for i, row in enumerate(table.cells)
        ]  # fmt: skip
        found.append(replace(table, marks=marks))
    if role(working.tables[-1].title) not in ("Q", "K", "V"):
        roles = {role(table.title) for table in working.tables}
        for name in context:
            if name not in roles and (beside := _beside(piece, working, shown, name)) is not None:
                found.append(beside)
    places = {name: place for place, name in enumerate(ORDER)}
    return sorted(found, key=lambda table: places.get(role(table.title), len(places)))


def _beside(piece: Piece, working: Working, shown: Shown, name: str) -> Table | None:
    """X, Q, K or V, which the terms do not name, with the rows of the tokens in play marked."""
    entry, result = working.entries[shown.entry], working.tables[-1]
    term = entry.terms[shown.terms - 1]
    table = piece.board[name]
    if role(result.title) in ("O", "sum"):  # the key is the one whose weight the term has
        source, _, column = term.places[0]
        keys, key = working.tables[source].cols, column
    else:
        keys, key = result.cols, entry.place[2]
    query = _row(table, result.rows, entry.place[1]) if name in ("X", "Q") else None
    rows = {query, _row(table, keys, key) if name != "Q" else None} - {None}
    if not rows:
        return None  # another sequence's
    marks = [["also" if i in rows else ""] * len(row) for i, row in enumerate(table.cells)]
    return replace(table, marks=marks)


def _row(table: Table, labels: Sequence[str], index: int) -> int | None:
    """The row of a table that belongs to a label: by place where all labels are the same."""
    if list(table.rows) == list(labels):
        return index
    if labels[index] not in table.rows:
        return None
    return len(table.rows) - 1 - list(reversed(table.rows)).index(labels[index])


def side_by_side(blocks: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Blocks of lines beside each other, as many in a row as there is room for."""
    rows: list[list[tuple[Sequence[Line], list[int]]]] = []  # with the widths of the lines
    used = 0
    for block in blocks:
        widths = [_width(line) for line in block]
        if not rows or used + 3 + max(widths, default=0) > width:
            rows.append([])
            used = -3
        rows[-1].append((block, widths))
        used += 3 + max(widths, default=0)
    lines: list[Line] = []
    for row in rows:
        lines += [[]] if lines else []
        for i in range(max(len(block) for block, _ in row)):
            line: Line = []
            space = 0  # before the block's line
            for block, widths in row:
                here = widths[i] if i < len(block) else 0
                if here:
                    line += [(" " * space, ""), *block[i]]
                    space = 0
                space += max(widths, default=0) - here + 3
            lines.append(line)
    return lines


def _width(line: Line) -> int:
    return sum(cell_len(text) for text, _ in line)
