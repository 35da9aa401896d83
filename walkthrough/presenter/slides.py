"""Slides of a recorded lesson: its pieces in order, and in how many parts each is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

from walkthrough.display.table import Table
from walkthrough.display.working import Working
from walkthrough.lesson.derivation import derive
from walkthrough.lesson.named_tables import NamedTables, role, with_factor_names, with_table
from walkthrough.lesson.pool_history import HistoryReader, PoolHistory
from walkthrough.lesson.reading import Notes, Prose
from walkthrough.lesson.recording import Lines, RecordedStep, Spelled, Statement
from walkthrough.presenter.pools import watchable

WHOLE, FIRST, EVERY = range(3)  # how far entries are spelled out, least first
FEW = 12  # entries that come one by one; of more, a row at a time


@dataclass(frozen=True)
class CodeShown:
    """Statements up to the first that shows something; each with its lines."""

    sources: tuple[str, ...]


Content = Prose | CodeShown | Table | Lines | PoolHistory | str


@dataclass(frozen=True, eq=False)
class SlidePiece:
    """One thing that comes onto the screen, with the working behind it where there is one.

    `spelled` says that it comes term by term: what the lesson itself spells out, and the
    softmax's exponentials; otherwise the working is there for who asks. `named` has the
    matrices that the lesson has shown by then. `before`: what stood here before the example was
    changed.
    """

    content: Content
    working: Working | None = None
    spelled: bool = False
    named: NamedTables = field(default_factory=dict)
    before: Content | None = None

    @property
    def can_open(self) -> bool:
        """Whether it can be shown in smaller parts."""
        return self.working is not None or isinstance(self.content, PoolHistory)


@dataclass(frozen=True)
class Slide:
    """One step of the lesson."""

    title: str
    pieces: tuple[SlidePiece, ...]
    notes: Notes = field(default_factory=Notes)


@dataclass(frozen=True, order=True)
class Position:
    """Where the presenter stands: slide, piece, part of the piece, each counted from 0."""

    slide: int = 0
    piece: int = 0
    part: int = 0


@dataclass(frozen=True)
class PartShown:
    """How much of a working is shown: entries up to one of them, and that one's terms.

    Of a history pool: events up to one of them, and how many of these came last.
    """

    entry: int
    terms: int


def slides(steps: Iterable[RecordedStep], precision: int) -> tuple[Slide, ...]:
    """The slides of a recording."""
    steps = list(steps)
    named: NamedTables = {}
    reader = HistoryReader.of(steps)
    made = []
    for step in steps:
        pieces: list[SlidePiece] = []
        waiting: list[str] = []  # statements that showed nothing yet
        for item in step.items:
            if isinstance(item, Prose):
                pieces += _code(waiting)
                waiting = []
                pieces.append(SlidePiece(item, named=named))
                continue
            waiting.append(item.source)
            history = watchable(reader.cut(item.pool_events))
            if item.shown or history:
                pieces += _code(waiting)
                waiting = []
                pieces += [SlidePiece(pool, named=named) for pool in history]
                for piece in _shown(item, named, precision):
                    pieces.append(piece)
                    named = piece.named
        pieces += _code(waiting)
        made.append(Slide(step.title, tuple(pieces), step.notes))
    return tuple(made)


def _code(sources: list[str]) -> list[SlidePiece]:
    return [SlidePiece(CodeShown(tuple(sources)))] if sources else []


def _shown(example: Statement, named: NamedTables, precision: int) -> Iterator[SlidePiece]:
    for shown in example.shown:
        if isinstance(shown, Spelled):
            working = with_factor_names(shown.working, example.source)
            for table in working.tables:
                named = with_table(named, table)
            yield SlidePiece(shown, working, True, named)
        elif isinstance(shown, Table):
            working_or_none = derive(shown, named, precision)
            named = with_table(named, shown)
            alone = len(example.shown) == 1 and role(shown.title) == "E"
            yield SlidePiece(shown, working_or_none, alone, named)
        else:
            yield SlidePiece(shown, named=named)


def parts(piece: SlidePiece, detail: int) -> list[PartShown | None]:
    """The parts in which a piece comes: None is all of it at once."""
    if isinstance(piece.content, PoolHistory):
        return _history_parts(piece.content, detail)
    working = piece.working
    if working is None or detail == WHOLE or (detail == FIRST and not piece.spelled):
        return [None]
    found: list[PartShown | None] = []
    few = len(working.entries) <= FEW
    for i, entry in enumerate(working.entries):
        by_terms = detail == EVERY or i == 0
        last_of_row = (
            i + 1 == len(working.entries) or working.entries[i + 1].place[1] != entry.place[1]
        )
        if by_terms:
            found += [PartShown(i, n + 1) for n in range(len(entry.terms))]
        elif few or last_of_row:
            found.append(PartShown(i, len(entry.terms)))
    return found or [None]  # a product without entries has nothing to spell out


def _history_parts(history: PoolHistory, detail: int) -> list[PartShown | None]:
    """Events of one kind in a row at once; each by itself, or all at once, where asked for.

    A long pool is shown at once, too: who wants to see it event by event opens it.
    """
    events = len(history.events)
    groups = [[events], history.groups(), [1] * events][detail]
    if detail == FIRST and len(groups) > FEW:
        groups = [events]
    return [PartShown(end - 1, size) for end, size in zip(accumulate(groups), groups, strict=True)]


@dataclass(frozen=True, eq=False)
class SlideShow:
    """Slides to walk through, forth and back. Two shows are equal only where they are one."""

    slides: tuple[Slide, ...]
    detail: int = FIRST
    code: bool = False  # whether code is shown; folded, it is passed over
    opened: frozenset[tuple[int, int]] = frozenset()  # pieces whose working was asked for

    def piece(self, at: Position) -> SlidePiece:
        """The piece at a position."""
        return self.slides[at.slide].pieces[at.piece]

    def parts(self, at: Position) -> list[PartShown | None]:
        """The parts of the piece at a position."""
        opened = (at.slide, at.piece) in self.opened
        return parts(self.piece(at), EVERY if opened else self.detail)

    def shown(self, at: Position) -> PartShown | None:
        """How much of the piece's working is shown."""
        return self.parts(at)[at.part]

    def folded(self, at: Position) -> bool:
        """Whether the piece at a position is code that is not shown."""
        return not self.code and isinstance(self.piece(at).content, CodeShown)

    def forward(self, at: Position) -> Position:
        """The next part, piece or slide; at the end the same."""
        after = self._forward(at)
        while after != at and self.folded(after):
            at, after = after, self._forward(after)
        return after

    def back(self, at: Position) -> Position:
        """The part, piece or slide before; at the start the same."""
        before = self._back(at)
        while before != at and self.folded(before):
            at, before = before, self._back(before)
        return before

    def _forward(self, at: Position) -> Position:
        if at.part + 1 < len(self.parts(at)):
            return replace(at, part=at.part + 1)
        if at.piece + 1 < len(self.slides[at.slide].pieces):
            return Position(at.slide, at.piece + 1)
        if at.slide + 1 < len(self.slides):
            return Position(at.slide + 1)
        return at

    def _back(self, at: Position) -> Position:
        if at.part:
            return replace(at, part=at.part - 1)
        if at.piece:
            return self.end(Position(at.slide, at.piece - 1))
        if at.slide:
            pieces = self.slides[at.slide - 1].pieces
            return self.end(Position(at.slide - 1, len(pieces) - 1))
        return at

    def end(self, at: Position) -> Position:
        """The last part of the piece."""
        return replace(at, part=len(self.parts(at)) - 1)

    def skip(self, at: Position, pieces: int) -> Position:
        """The whole piece, and where it is whole already the next one; or (−1) the one before."""
        if pieces > 0:
            end = self.end(at)
            return self.end(self.forward(at)) if at == end else end
        return self.end(self.back(replace(at, part=0)))

    def step(self, number: int) -> Position:
        """The beginning of a step, counted from 0; beyond the ends the first or the last."""
        return Position(max(0, min(number, len(self.slides) - 1)))

    def last(self) -> Position:
        """The end of the last step."""
        slide = len(self.slides) - 1
        return self.end(Position(slide, len(self.slides[slide].pieces) - 1))

    def nearest(self, at: Position) -> Position:
        """The same place in this slideshow, or the nearest one where it is shorter there."""
        slide = min(at.slide, len(self.slides) - 1)
        piece = min(at.piece, len(self.slides[slide].pieces) - 1)
        near = Position(slide, piece)
        if self.folded(near):
            near = self.forward(near)
        return replace(near, part=min(at.part, len(self.parts(near)) - 1))

    def beside(self, before: SlideShow) -> SlideShow:
        """The same slideshow with what each of its tables was in another of the same lesson."""
        made = []
        for slide, other in zip(self.slides, before.slides, strict=False):
            pairs = zip(slide.pieces, other.pieces, strict=False)
            pieces = tuple(replace(piece, before=was.content) for piece, was in pairs)
            made.append(replace(slide, pieces=pieces + slide.pieces[len(pieces) :]))
        return replace(self, slides=(*made, *self.slides[len(made) :]))

    def opening(self, at: Position) -> SlideShow:
        """The slideshow with this piece's working opened, or closed where it was open."""
        return replace(self, opened=self.opened ^ {(at.slide, at.piece)})
