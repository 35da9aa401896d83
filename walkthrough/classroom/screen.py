"""Where a lesson is shown: a terminal, a pipe, or a doctest's captured output.

Everything that is printed passes through here, already as text: nothing is parsed as
markup, shortened, or left to a console that cannot encode it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO

from walkthrough.classroom.charset import Charset
from walkthrough.classroom.table import Line, Table, layout

if TYPE_CHECKING:
    from rich.console import Console

DEFAULT_WIDTH, DEFAULT_PRECISION = 80, 4
PROSE_WIDTH = 88  # longer lines are hard to read
STYLES = {
    "title": "bold cyan",
    "label": "green",
    "rule": "dim",
    "code": "bold",
    "prompt": "dim",
    "note": "italic",
    "good": "green",
    "bad": "bold red",
}


class Screen:
    """A place to print to: its width in cells, digits after the point, encoding, colour."""

    def __init__(
        self,
        out: TextIO | None = None,
        *,
        width: int = DEFAULT_WIDTH,
        precision: int = DEFAULT_PRECISION,
        encoding: str = "utf-8",
        colour: bool = False,
    ) -> None:
        self._out = out
        self.width = width
        self.precision = precision
        self.charset = Charset(encoding)
        self.colour = colour
        self._console: Console | None = None
        self._running = False
        self._apart = False  # whether the next block is set apart by an empty line

    @property
    def out(self) -> TextIO:
        """The stream; by default standard output as it is at that moment."""
        return self._out or sys.stdout

    @property
    def console(self) -> Console:
        """The rich console behind prose and colour, made at first use."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                file=self.out,
                width=self.width,
                color_system="auto" if self.colour else None,
                force_terminal=self.colour,
                highlight=False,
                markup=False,
                emoji=False,
                legacy_windows=None if self.colour else False,
            )
        return self._console

    def text(self, text: str = "", style: str = "") -> None:
        """One line of plain text."""
        self.lines([[(self.charset.readable(text), style)]])

    def write(self, text: str) -> int:
        """Raw text, as `print` inside a lesson writes it."""
        self.out.write(self.charset.readable(text))
        return len(text)

    def flush(self) -> None:
        """Send on what is buffered."""
        self.out.flush()

    def lines(self, lines: Iterable[Line]) -> None:
        """Styled lines, whose text is readable already, as long as they are."""
        if not self.colour:
            for line in lines:
                self.out.write("".join(text for text, _ in line).rstrip() + "\n")
            return
        from rich.text import Text

        for line in lines:
            styled = Text.assemble(*((text, STYLES.get(style, "")) for text, style in line))
            self.console.print(styled, soft_wrap=True)

    def block(self, lines: Iterable[Line]) -> None:
        """Styled lines that belong together; a lesson's later ones are set apart."""
        if self._apart:
            self.out.write("\n")
        self._apart = self._running
        self.lines(lines)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """While an example of a lesson runs: what it prints goes here, its blocks set apart."""
        self._running, self._apart = True, False
        before = _current.set(self)
        try:
            with contextlib.redirect_stdout(self):
                yield
        finally:
            _current.reset(before)
            self._running = self._apart = False

    def table(self, table: Table) -> None:
        """A table in the width of the screen."""
        self.block(
            layout(
                table,
                width=self.width,
                precision=self.precision,
                readable=self.charset.readable,
            )
        )

    def prose(self, markdown: str) -> None:
        """Markdown, rendered."""
        from walkthrough.classroom.prose import render

        rendered = render(
            self.charset.readable(markdown),
            self.console,
            width=min(self.width, PROSE_WIDTH),
            bar=self.charset.readable("│"),
        )
        self.out.write(rendered)


_current: ContextVar[Screen] = ContextVar("screen")


def current() -> Screen:
    """The screen that `show` prints to; outside a runner plain text to standard output."""
    return _current.get(None) or Screen()
