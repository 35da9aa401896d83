"""Pieces drawn as lines, whole or as far as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

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
from walkthrough.presenter.working_view import draw_working


@lru_cache(maxsize=4)  # a key and the clock ask for the same lines several times
def draw_piece(slideshow: SlideShow, at: Position, view: View) -> tuple[Sequence[Segments], int]:
    """The step up to a position, and the line at which the piece at the position begins."""
    rows: list[Segments] = []
    pieces = slideshow.slides[at.slide].pieces[: at.piece]
    for piece in pieces:
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
        return styled(table_lines(content, view))
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


def _code_lines(code: CodeShown, view: View) -> Sequence[Line]:
    lines: list[Line] = []
    for source in code.sources:
        for i, line in enumerate(source.splitlines()):
            lines.append([(">>> " if i == 0 else "... ", "prompt"), (view.readable(line), "code")])
    return lines
