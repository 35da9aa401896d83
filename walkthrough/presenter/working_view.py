"""A working as it is done: its matrices side by side, and its terms below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len

from walkthrough.display.table import Line, Table
from walkthrough.display.working import Entry, Working, entry_lines
from walkthrough.lesson.named_tables import role
from walkthrough.presenter.slides import PartShown, SlidePiece
from walkthrough.presenter.view import SPACINGS, Segments, View, styled, table_lines

ALWAYS = ("X", "Q", "K", "V")  # marked together while attention is worked out
ATTENTION = ("S", "scaled", "masked", "E", "sum", "P", "O")  # which is when one of these is made
ORDER = (*ALWAYS, "W_Q", "W_K", "W_V")


def draw_working(
    piece: SlidePiece, working: Working, shown: PartShown, view: View
) -> list[Segments]:
    """The matrices with the cells in play marked, and below them the entries spelled out."""
    room = view.height // (1 + SPACINGS[view.spacing][1])
    least = max(cell_len(view.readable(entry.name)) for entry in working.entries)

    def spelled(entry: Entry) -> list[Line]:
        return entry_lines([entry], width=view.width, readable=view.readable, least=least)

    now = [
        [(text, style or "current") for text, style in line]
        for line in spelled(_current(working, shown))
    ]
    context = [name for name in ALWAYS if name in piece.named]
    while True:  # what only accompanies goes first where there is no room for all of it
        tables = marked(piece, working, shown, context)
        matrices = beside_one_another([table_lines(table, view) for table in tables], view.width)
        if not context or len(matrices) + 1 + len(now) <= room:
            break
        context.pop(0)
    if len(matrices) + 1 + len(now) > room:  # the terms are what must be seen in any case
        return styled([*now, [], *matrices])
    below = now
    for entry in reversed(working.entries[: shown.entry]):  # as many as there is room for
        lines = spelled(entry)
        if len(matrices) + 1 + len(lines) + len(below) > room:
            break
        below = lines + below
    return styled([*matrices, [], *below])


def _current(working: Working, shown: PartShown) -> Entry:
    """The entry that is being computed, as far as its terms are shown."""
    entry = working.entries[shown.entry]
    result = entry.result if shown.terms == len(entry.terms) else ""
    return replace(entry, terms=entry.terms[: shown.terms], result=result)


def marked(
    piece: SlidePiece, working: Working, shown: PartShown, context: Sequence[str]
) -> list[Table]:
    """The working's tables, their cells in play marked, what is not computed yet hidden."""
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
    if role(working.tables[-1].title) in ATTENTION:
        roles = {role(table.title) for table in working.tables}
        for name in context:
            if name not in roles and (beside := _beside(piece, working, shown, name)) is not None:
                found.append(beside)
    places = {name: place for place, name in enumerate(ORDER)}
    return sorted(found, key=lambda table: places.get(role(table.title), len(places)))


def _beside(piece: SlidePiece, working: Working, shown: PartShown, name: str) -> Table | None:
    """X, Q, K or V, which the terms do not name, with the rows of the tokens in play marked."""
    entry, result = working.entries[shown.entry], working.tables[-1]
    term = entry.terms[shown.terms - 1]
    table = piece.named[name]
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


def beside_one_another(blocks: Sequence[Sequence[Line]], width: int) -> list[Line]:
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
