"""A lesson played once and kept: its prose, its code, and all that the code showed.

What the runner prints as it goes, a page, a notebook or a presenter needs as a whole.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from walkthrough.display.drawing.picture import Picture
from walkthrough.display.screen import DEFAULT_PRECISION, DEFAULT_WIDTH, Screen
from walkthrough.display.table import Line, Table
from walkthrough.display.working import Working
from walkthrough.document.example import Example
from walkthrough.lesson import reading, running
from walkthrough.lesson.graph import Graph, GraphNode
from walkthrough.lesson.pool_events import PoolEvent, PoolRecorder
from walkthrough.lesson.reading import Lesson, Notes, Prose, is_skipped
from walkthrough.reference.computed import computed


@dataclass(frozen=True)
class Lines:
    """Styled lines that belong together, such as a product spelled out."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The lines without their styles."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self.lines)


@dataclass(frozen=True)
class Spelled(Lines):
    """Lines that spell entries out, with the working behind them."""

    working: Working
    nodes: tuple[GraphNode, ...] = field(default=(), compare=False)  # what it computes, in order


@dataclass(frozen=True)
class Pictured(Lines):
    """A picture in characters, with the picture itself, which a page draws."""

    picture: Picture = field(compare=False)


Shown = Table | Lines | str  # a str is what a bare `print` wrote


@dataclass(frozen=True)
class Statement:
    """One statement of a lesson and what it showed."""

    source: str
    line: int  # in the lesson's file
    shown: tuple[Shown, ...]
    pool_events: tuple[PoolEvent, ...] = ()  # what happened to the blocks of the lesson's pools
    skipped: bool = False  # not run, which is what it shows
    raises: bool = False  # ends in an error, which the lesson expects and it shows


@dataclass
class RecordedStep:
    """What stands under one `##` heading (the first step: under the lesson's title)."""

    title: str
    items: list[Prose | Statement] = field(default_factory=list)
    hidden: list[tuple[int, Statement]] = field(default_factory=list)  # before which item
    notes: Notes = field(default_factory=Notes)  # for the teacher


class Recorder(Screen):
    """A screen that keeps what it is given to show."""

    def __init__(self, *, width: int = DEFAULT_WIDTH, precision: int = DEFAULT_PRECISION) -> None:
        super().__init__(io.StringIO(), width=width, precision=precision)
        self._shown: list[Shown] = []
        self.graph = Graph()
        self.drawn: list[dict[str, Any]] = []  # sequences by name, as pictures called them

    def take(self) -> tuple[Shown, ...]:
        """What was shown since the last time."""
        shown, self._shown = tuple(self._shown), []
        return shown

    def table(self, table: Table) -> None:
        """Keep a table; its source becomes the node that its array is, where it is one."""
        if isinstance(table.source, dict):
            self.drawn.append(table.source)
        self._shown.append(replace(table, source=self.graph.shown(table.source)))

    def block(self, lines: Iterable[Line]) -> None:
        """Keep lines."""
        self._shown.append(Lines(tuple(lines)))

    def draw(self, picture: Picture) -> None:
        """Keep a picture, with the lines that it takes here."""
        lines = picture.lines(self.width, self.charset.readable)
        self._shown.append(Pictured(tuple(lines), picture))

    def spelled(self, working: Working) -> None:
        """Keep a working, with the lines that it takes here."""
        nodes: tuple[GraphNode, ...] = ()
        if len(working.sources) == 2:
            nodes = (self.graph.product(*working.sources),)
        elif working.sources:
            nodes = self.graph.shares(working.sources[0])
        self._shown.append(Spelled(tuple(self.spelled_lines(working)), working, nodes))

    def write(self, text: str) -> int:
        """Keep what `print` wrote, whole lines together."""
        if self._shown and isinstance(before := self._shown[-1], str):
            self._shown[-1] = before + text
        elif text:
            self._shown.append(text)
        return len(text)


def record(
    lesson: Lesson,
    recorder: Recorder | None = None,
    rewrite: Callable[[str], str] | None = None,
    language: str = "en",
    progress: Callable[[float], None] = lambda steps: None,
) -> list[RecordedStep]:
    """Run a lesson's code, in order; raises `running.LessonCodeError` where it fails.

    `rewrite` may change each statement before it is run. `progress` hears of each step done.
    """
    recorder = recorder or Recorder()
    namespace = running.fresh_namespace()
    pools = PoolRecorder()
    played = []
    for blocks, notes in lesson.parsed:
        step = RecordedStep(_heading(blocks), notes=notes)
        for block in blocks:
            if isinstance(block, Prose):
                step.items.append(block)
                continue
            for example in block.examples:
                source = rewrite(example.source) if rewrite is not None else example.source
                line = block.line + example.lineno
                told = computed.set(recorder.graph)
                try:
                    with pools.listening():
                        running.execute(
                            lesson, source, line, recorder, namespace, example, language
                        )
                finally:
                    computed.reset(told)
                _name(pools, recorder, namespace)
                marks = {"skipped": is_skipped(example), "raises": example.exc_msg is not None}
                statement = Statement(source, line, recorder.take(), pools.take(), **marks)
                if block.hidden:
                    step.hidden.append((len(step.items), statement))
                else:
                    step.items.append(statement)
        played.append(step)
        progress(1)
    return played


def answer_step(steps: Sequence[RecordedStep]) -> int | None:
    """Which step's code answers the lesson's question: the last that has code, but the first."""
    with_code = [
        number
        for number, step in enumerate(steps)
        if any(isinstance(item, Statement) for item in step.items)
    ]
    return with_code[-1] if with_code and with_code[-1] else None


def _name(pools: PoolRecorder, recorder: Recorder, namespace: dict[str, object]) -> None:
    """What the lesson calls its sequences and pools: as it draws them, else as its variables."""
    for source in recorder.drawn:
        pools.name(source["sequences"], tuple(source["tokens"]))
    recorder.drawn.clear()
    texts = next((each.tokens for each in namespace.values() if isinstance(each, Example)), ())
    pools.name(namespace, texts)


def split_heading(markdown: str) -> tuple[str, str]:
    """The text of the heading that prose begins with, and the rest; "" where there is none."""
    first, _, rest = markdown.partition("\n")
    if marked := re.match(r"#{1,6}\s+(.*?)(\s+#+)?\s*$", first):
        return marked[1], rest
    underline, _, after = rest.partition("\n")
    if first.strip() and re.fullmatch(r" {0,3}(=+|-+)\s*", underline):
        return first.strip(), after
    return "", markdown


def _heading(step: reading.LessonStep) -> str:
    first = step[0]
    return split_heading(first.markdown)[0] if isinstance(first, Prose) else ""
