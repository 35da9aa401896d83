"""A lesson's steps as screens: one idea each, what is said on the left, what is computed right.

What does not fit one screen of 16:9 is divided: first between pieces of prose, then between
the tables that a statement shows. Heights are estimated in rem; the page makes what is a little
too large smaller, and tests measure it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from math import ceil

from rich.cells import cell_len

from walkthrough.display.drawing.picture import ASPECT, Picture
from walkthrough.display.table import Line, Table
from walkthrough.export import board
from walkthrough.export.board import BoardFigure, BoardLayout
from walkthrough.lesson.graph import GraphNode
from walkthrough.lesson.pool_events import PoolEvent
from walkthrough.lesson.pool_history import HistoryReader, PoolHistory
from walkthrough.lesson.reading import Prose
from walkthrough.lesson.recording import (
    Lines,
    Pictured,
    RecordedStep,
    Shown,
    Spelled,
    answer_step,
    split_heading,
)

SAID_WIDTH, SAID_HEIGHT = 14.6, 27.6
AFTER_WIDTH, AFTER_HEIGHT = 38.0, 8.0
WATCHABLE_EVENTS, WATCHABLE_BLOCKS, MOST_FILMS = 200, 100, 2
PICTURES = ("pool", "block-table")  # tables that a film shows as well, and better


@dataclass
class Output:
    """Text that a lesson printed, on a board."""

    html: str
    lines: int
    cells: int
    label: str = ""

    def size(self) -> tuple[float, float]:
        """Width and height."""
        return 0.62 * self.cells + 0.8, 1.5 * self.lines + 0.6


@dataclass
class Drawing:
    """A picture on a board."""

    picture: Picture

    def size(self) -> tuple[float, float]:
        """Width and height, its title and what opens its values included."""
        return 34.0, 34.0 * ASPECT + 3.2


Piece = BoardFigure | Output | Drawing


@dataclass
class PageScreen:
    """What stands on one screen."""

    step: int  # the lesson's, from 0
    heading: str = ""
    place: int = 1  # among the screens of the step
    places: int = 1
    prose: list[str] = field(default_factory=list)  # Markdown
    pieces: list[Piece] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    sums: list[Lines] = field(default_factory=list)  # products spelled out, for paper
    histories: list[PoolHistory] = field(default_factory=list)  # one, or none
    drawn: list[Table] = field(
        default_factory=list
    )  # the film's last frame, as the lesson shows it
    after: list[str] = field(default_factory=list)  # prose below the board: what it comes to
    answer: bool = False  # the pieces are the answer to a question
    givens: list[BoardFigure] = field(default_factory=list)
    layout: BoardLayout = field(default_factory=BoardLayout)

    @property
    def fits(self) -> bool:
        """Whether all of it is seen at once, on a projector."""
        return self.layout.fits and (_said_height(self) <= SAID_HEIGHT * 1.35 or not self.pieces)

    def prose_blocks(self) -> list[str]:
        """Its paragraphs, lists and quotations."""
        return re.split(r"\n\s*\n", "\n\n".join(self.prose))

    @property
    def figures(self) -> list[BoardFigure]:
        """Its tables that are nodes."""
        return [piece for piece in self.pieces if isinstance(piece, BoardFigure) and piece.node]


class Screens:
    """Divides the steps of a recorded lesson."""

    def __init__(self, steps: Sequence[RecordedStep], language_head: str, precision: int) -> None:
        self._reader = HistoryReader.of(steps)
        self._steps, self._head, self._precision = steps, language_head, precision
        self._answer = answer_step(steps)
        self._titled: dict[GraphNode, Table] = {}  # what was shown so far, and under which title

    def all(self) -> list[PageScreen]:
        """Every screen, in order."""
        made = []
        for number, step in enumerate(self._steps):
            of_step = list(self._of_step(number, step))
            for place, screen in enumerate(of_step, 1):
                screen.heading, screen.place, screen.places = step.title, place, len(of_step)
            made += of_step
        return made

    def histories(self) -> list[PoolHistory]:
        """What there is to watch, in order."""
        return [
            history
            for number, step in enumerate(self._steps)
            for unit in self._units(number, step, number == self._answer)
            for history in unit.histories
        ]

    def _of_step(self, number: int, step: RecordedStep) -> Iterator[PageScreen]:
        last = number == self._answer
        pending: PageScreen | None = None
        for unit in self._units(number, step, last):
            together = None
            if pending and not unit.histories and not unit.answer:
                if not pending.histories:
                    together = self._joined(pending, unit)
                elif not unit.sources:  # what is said about a film, beside it
                    both = replace(pending, prose=pending.prose + unit.prose)
                    together = both if _said_height(both) <= SAID_HEIGHT else None
            if together:
                pending = together
                continue
            if pending:
                yield from self._divided(pending)
            pending = unit
        if pending:
            yield from self._divided(pending)

    # ---- units: prose, and the statements behind it ----

    def _units(self, number: int, step: RecordedStep, last: bool) -> Iterator[PageScreen]:
        unit, events = PageScreen(number), list[PoolEvent]()
        for item in step.items:
            if isinstance(item, Prose):
                text = item.markdown
                if item is step.items[0]:
                    _, text = split_heading(text)
                if not text.strip():
                    continue
                if unit.sources and last:
                    unit.after.append(text)
                    continue
                if unit.sources:
                    yield from self._with_films(unit, events)
                    unit, events = PageScreen(number), []
                unit.prose.append(text.strip())
                continue
            unit.answer = last
            unit.sources.append(item.source)
            events += item.pool_events
            for shown in item.shown:
                self._add(unit, shown)
        yield from self._with_films(unit, events)

    def _add(self, unit: PageScreen, shown: Shown) -> None:
        if isinstance(shown, Table):
            if shown.kind in PICTURES:
                unit.drawn.append(shown)
            else:
                node = shown.source if isinstance(shown.source, GraphNode) else None
                _put(unit.pieces, BoardFigure(shown, node, precision=self._precision))
        elif isinstance(shown, Spelled):
            unit.sums.append(shown)
            tables = shown.working.tables[-len(shown.nodes) :] if shown.nodes else ()
            for node, table in zip(shown.nodes, tables, strict=True):
                if not any(isinstance(p, BoardFigure) and p.node is node for p in unit.pieces):
                    cells = node.value.tolist()
                    figure = BoardFigure(
                        replace(table, cells=cells), node, precision=self._precision
                    )
                    figure.spelled = True
                    _put(unit.pieces, figure)
        elif isinstance(shown, Pictured):
            unit.pieces.append(Drawing(shown.picture))
        elif isinstance(shown, Lines):
            unit.pieces.append(_output(shown.lines))
        elif shown.strip():
            lines = shown.rstrip().splitlines()
            html = escape("\n".join(lines))
            unit.pieces.append(Output(html, len(lines), max(map(cell_len, lines))))

    def _with_films(self, unit: PageScreen, events: list[PoolEvent]) -> Iterator[PageScreen]:
        """The unit, divided into its film and the rest where there is something to watch."""
        cuts = self._reader.cut(events)
        cuts = [] if len(cuts) > MOST_FILMS else [cut for cut in cuts if _watchable(cut)]
        if not cuts or unit.answer:
            unit.pieces += [
                BoardFigure(table, None, precision=self._precision) for table in unit.drawn
            ]
            unit.drawn = []
            yield unit
            return
        for history in cuts:
            yield PageScreen(
                unit.step, prose=unit.prose, sources=unit.sources, histories=[history],
                drawn=unit.drawn,
            )  # fmt: skip
            unit = replace(unit, prose=[], drawn=[])
        if unit.pieces:
            yield unit

    # ---- what fits ----

    def _joined(self, first: PageScreen, second: PageScreen) -> PageScreen | None:
        """Both on one screen, if they fit without being made small."""
        both = replace(
            first,
            prose=first.prose + second.prose,
            pieces=[*first.pieces],
            sources=first.sources + second.sources,
            sums=first.sums + second.sums,
        )
        for piece in second.pieces:
            _put(both.pieces, piece)
        self._lay_out(both, note=False)
        if _said_height(both) > SAID_HEIGHT and first.pieces and not second.sources:
            both.prose, both.after = first.prose, first.after + second.prose  # below the board
            self._lay_out(both, note=False)
            if _said_height(both) > SAID_HEIGHT or _after_height(both) > AFTER_HEIGHT:
                return None
        small = both.layout.scale < 0.8 or not both.layout.fits
        return None if small or _said_height(both) > SAID_HEIGHT else both

    def _divided(self, screen: PageScreen) -> Iterator[PageScreen]:
        """The screen, in as many as it takes."""
        blocks = screen.prose_blocks()
        if (screen.pieces or screen.histories) and _said_height(screen) > SAID_HEIGHT * 1.1:
            kept = [blocks.pop()]  # the nearest to what is shown stay beside it
            while blocks and _text_height("\n\n".join([blocks[-1], *kept])) < SAID_HEIGHT * 0.6:
                kept.insert(0, blocks.pop())
            if blocks:
                yield PageScreen(screen.step, prose=["\n\n".join(blocks)])
                screen = replace(screen, prose=["\n\n".join(kept)])
        rest = list(screen.pieces)
        first = True
        while True:
            count = len(rest)
            while count > 1:
                some = replace(screen, pieces=rest[:count])
                self._lay_out(some, note=False)
                if some.layout.fits and some.layout.scale >= 0.8:
                    break
                count -= 1
            some = replace(screen, pieces=rest[:count])
            self._lay_out(some, note=True)
            rest = rest[count:]
            if rest:
                some.after = []
            yield some
            if not rest:
                return
            if first:
                screen = replace(screen, prose=[], sums=[], drawn=[])
                first = False

    def _lay_out(self, screen: PageScreen, *, note: bool) -> None:
        """Add the operands that there is room for, and put everything into columns."""
        own = [piece for piece in screen.pieces if not isinstance(piece, BoardFigure) or piece.own]
        here = [piece.node for piece in own if isinstance(piece, BoardFigure) and piece.node]
        titled = {**self._titled, **_tables(own)}
        operands: list[GraphNode] = []
        for node in here:
            for source in board.sources_of(node, titled):
                if source not in here and source not in operands:
                    operands.append(source)
        carried = [
            BoardFigure(
                titled.get(n) or board.given_table(n, self._head), n, False, self._precision
            )
            for n in operands
        ]
        aside = [piece for piece in own if _aside(piece)]
        standing = [piece for piece in own if not _aside(piece)]
        if not standing:
            aside, standing = [], own
        while True:
            layout = board.arrange([*carried, *standing], board.HEIGHT - _after_height(screen))
            if not carried or (layout.fits and layout.scale >= 0.8):
                break
            carried.pop()
        screen.pieces, screen.layout = [*carried, *own], layout
        givens = [node for node in board.rows_given(here) if node not in here + operands]
        screen.givens = [piece for piece in aside if isinstance(piece, BoardFigure)]
        for node in givens[:2]:
            table = titled.get(node)
            figure = table and BoardFigure(table, node, False, self._precision)
            if figure and _aside(figure):
                screen.givens.append(figure)
                if _said_height(screen) > SAID_HEIGHT:
                    screen.givens.pop()
        if note:
            self._titled |= _tables(own)


def _watchable(history: PoolHistory) -> bool:
    """A pool that only a function knows is a means, not the matter; many events, a measurement."""
    few = len(history.events) <= WATCHABLE_EVENTS and len(history.before) <= WATCHABLE_BLOCKS
    return few and bool(history.pool.name)


def _aside(piece: Piece) -> bool:
    """Whether it is rows of embeddings, which stand beside what is said about them."""
    if not isinstance(piece, BoardFigure) or piece.node is None or piece.node.op != "rows":
        return False
    return piece.size()[0] <= SAID_WIDTH and len(piece.table.cells) <= 6


def _tables(pieces: Iterable[Piece]) -> dict[GraphNode, Table]:
    return {
        p.node: p.table for p in pieces if isinstance(p, BoardFigure) and p.node and p.table.title
    }


def _put(pieces: list[Piece], piece: Piece) -> None:
    """Add a piece; what was only spelled out gives way to the table of the same node."""
    if isinstance(piece, BoardFigure) and piece.node:
        for i, other in enumerate(pieces):
            if isinstance(other, BoardFigure) and other.node is piece.node:
                if other.spelled and not piece.spelled:
                    pieces[i] = piece
                    return
                if piece.spelled or other.table.title == piece.table.title:
                    return
    pieces.append(piece)


def _output(lines: Sequence[Line]) -> Output:
    html = "\n".join(
        "".join(
            f'<span class="wt-{escape(style)}">{escape(text)}</span>' if style else escape(text)
            for text, style in line
        )
        for line in lines
    )
    widths = [sum(cell_len(text) for text, _ in line) for line in lines]
    return Output(html, len(lines), max(widths, default=0))


def _said_height(screen: PageScreen) -> float:
    """Of what is said: heading, prose, givens, code."""
    high = 1.7 * ceil(cell_len(screen.heading) / 20 or 1) + 0.6
    high += sum(_text_height(text) for text in screen.prose)
    high += sum(figure.size()[1] + 0.6 for figure in screen.givens)
    return high + (1.5 if screen.sources else 0)


def _after_height(screen: PageScreen) -> float:
    return sum(_text_height(text, AFTER_WIDTH) for text in screen.after) * 1.05


def _text_height(markdown: str, width: float = SAID_WIDTH) -> float:
    high = 0.0
    for block in re.split(r"\n\s*\n", markdown.strip()):
        quoted = block.startswith(">")
        for line in block.splitlines() if re.match(r"\s*([-*|]|\d+\.) ?", block) else [block]:
            room = width - 1.2 * (quoted or line is not block)
            high += 1.4 * ceil(0.53 * cell_len(re.sub(r"[*`>]|\]\(.*?\)", "", line)) / room)
        high += 0.6
    return high
