"""Pieces drawn as lines, whole or as far as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from walkthrough.display.number import number
from walkthrough.display.table import Line, Table
from walkthrough.display.working import entry_lines
from walkthrough.lesson.pool_history import PoolHistory
from walkthrough.lesson.reading import Prose
from walkthrough.presenter.pools import pool_drawing, what_happened
from walkthrough.presenter.slides import CodeShown, PartShown, Position, SlidePiece, SlideShow
from walkthrough.presenter.view import (
    SPACINGS,
    Segments,
    View,
    fold,
    prose,
    readable_lines,
    styled,
    table_lines,
)
from walkthrough.presenter.words import WORDS
from walkthrough.presenter.working_view import draw_working


@lru_cache(maxsize=4)  # a key and the clock ask for the same lines several times
def draw_piece(slideshow: SlideShow, at: Position, view: View) -> tuple[Sequence[Segments], int]:
    """The step up to a position, and the line at which the piece at the position begins."""
    rows: list[Segments] = []
    pieces = slideshow.slides[at.slide].pieces[: at.piece]
    for piece in pieces:
        if isinstance(piece.content, CodeShown) and not slideshow.code:
            continue
        rows += [*view.spread(finished(piece, view)), *[[]] * (1 + SPACINGS[view.spacing][1])]
    begin = len(rows)
    rows += view.spread(unfinished(slideshow.piece(at), slideshow.shown(at), view))
    return rows, begin


def unfinished(piece: SlidePiece, shown: PartShown | None, view: View) -> list[Segments]:
    """A piece as far as it is shown."""
    if shown is not None and isinstance(content := piece.content, PoolHistory):
        asked = shown.entry + 1, shown.terms, view.language
        table = table_lines(pool_drawing(content, *asked), view)
        return styled([*table, [], *readable_lines(what_happened(content, *asked), view)])
    if shown is None or piece.working is None:
        return finished(piece, view)
    return draw_working(piece, piece.working, shown, view)


@lru_cache(maxsize=4096)
def finished(piece: SlidePiece, view: View) -> list[Segments]:
    """A whole piece."""
    content = piece.content
    if isinstance(content, Prose):
        return prose(content.markdown, view)
    if isinstance(content, CodeShown):
        return fold(list(_code_lines(content, view)), view.width)
    if isinstance(content, Table):
        before = piece.before if isinstance(piece.before, Table) else None
        return styled(table_lines(with_old_values(content, before, view), view))
    if isinstance(content, PoolHistory):
        table = pool_drawing(content, len(content.events), 0, view.language)
        return styled(table_lines(table, view))
    if isinstance(content, str):
        lines: list[Line] = [[(view.readable(line), "")] for line in content.rstrip().split("\n")]
        return fold(lines, view.width)
    if piece.working is not None:
        entries = piece.working.entries
        return styled(entry_lines(entries, width=view.width, readable=view.readable))
    return fold(readable_lines(content.lines, view), view.width)


def with_old_values(table: Table, before: Table | None, view: View) -> Table:
    """A table in which each cell that is another now is followed by what it was: 2 (was 1)."""
    alike = before is not None and before.title == table.title
    if before is None or not alike or _shape(table) != _shape(before):
        return table

    def shown(value: object) -> str:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return number(value, view.precision) if plain else str(value)  # type: ignore[arg-type]

    was = WORDS[view.language]["was"]
    cells = [
        [
            now if shown(now) == shown(then) else f"{shown(now)} ({was} {shown(then)})"
            for now, then in zip(row, old, strict=True)
        ]
        for row, old in zip(table.cells, before.cells, strict=True)
    ]
    return replace(table, cells=cells)


def _shape(table: Table) -> list[int]:
    return [len(row) for row in table.cells]


def _code_lines(code: CodeShown, view: View) -> Sequence[Line]:
    lines: list[Line] = []
    for source in code.sources:
        for i, line in enumerate(source.splitlines()):
            lines.append([(">>> " if i == 0 else "... ", "prompt"), (view.readable(line), "code")])
    return lines
