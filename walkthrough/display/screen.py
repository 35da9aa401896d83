"""Where a lesson is shown: a terminal, a pipe, or a doctest's captured output.

Everything that is printed passes through here, already as text: nothing is parsed as
markup, shortened, or left to a console that cannot encode it.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, TextIO

from walkthrough.display.charset import Charset
from walkthrough.display.table import Line, Table, layout

if TYPE_CHECKING:
    from rich.console import Console

    from walkthrough.display.drawing.picture import Picture
    from walkthrough.display.prose import LessonMarkdown
    from walkthrough.display.working import Working

DEFAULT_WIDTH, DEFAULT_PRECISION = 80, 4
PROSE_WIDTH = 88  # longer lines are hard to read
STYLES = {
    "title": "bold cyan",
    "label": "green",
    "rule": "dim",
    "code": "bold",
    "prompt": "dim",
    "bad": "bold red",
    "shared": "bold magenta",
    "cached": "yellow",
    "free": "dim",
    "running": "green",
    "waiting": "yellow",
    "swapped": "magenta",
    "finished": "dim",
}

# rich's own paint inline code on black, which is a blot in a light terminal.
PROSE_STYLES = {"markdown.code": "bold cyan", "markdown.block_quote": "none"}


class OutputError(Exception):
    """The stream did not take what was written: a closed pipe, a full disk."""

    def __init__(self, reason: OSError) -> None:
        self.reason = reason
        super().__init__(str(reason))


running_screen: ContextVar[Screen] = ContextVar("running_screen")  # while a lesson's code runs


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
        self._prose: LessonMarkdown | None = None
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
            from rich.theme import Theme

            self._console = Console(
                theme=Theme(PROSE_STYLES),
                file=io.StringIO(),  # only captured, so that every write is ours to watch
                width=self.width,
                color_system="auto" if self.colour else None,
                force_terminal=self.colour,
                highlight=False,
                markup=False,
                emoji=False,
                legacy_windows=None if self.colour else False,
            )
        return self._console

    @contextlib.contextmanager
    def sent_to(self, out: TextIO) -> Iterator[None]:
        """For a while everything goes to another stream."""
        before, self._out = self._out, out
        try:
            yield
        finally:
            self._out = before

    def text(self, text: str = "", style: str = "") -> None:
        """One line of plain text."""
        self.lines([[(self.charset.readable(text), style)]])

    def write(self, text: str) -> int:
        """Raw text, as `print` inside a lesson writes it."""
        self._send(self.charset.readable(text))
        return len(text)

    def clear(self) -> None:
        """Begin at the top of an empty terminal; without colour, below a rule."""
        if self.colour:
            self._send("\x1b[H\x1b[2J")
        else:
            self.text("-" * min(self.width, 40))

    def flush(self) -> None:
        """Send on what is buffered. Raises OutputError where the stream does not take it."""
        try:
            self.out.flush()
        except OSError as error:
            raise OutputError(error) from error

    def _send(self, text: str) -> None:
        try:
            self.out.write(text)
        except OSError as error:
            raise OutputError(error) from error

    def lines(self, lines: Iterable[Line]) -> None:
        """Styled lines, whose text is readable already, as long as they are."""
        if not self.colour:
            for line in lines:
                self._send("".join(text for text, _ in line).rstrip() + "\n")
            return
        from rich.text import Text

        with self.console.capture() as capture:
            for line in lines:
                styled = Text.assemble(*((text, STYLES.get(style, "")) for text, style in line))
                self.console.print(styled, soft_wrap=True)
        self._send(capture.get())

    def block(self, lines: Iterable[Line]) -> None:
        """Styled lines that belong together; a lesson's later ones are set apart."""
        if self._apart:
            self._send("\n")
        self._apart = self._running
        self.lines(lines)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """While an example of a lesson runs: what it prints goes here, its blocks set apart."""
        self._out = self.out  # standard output is about to be this very screen
        self._running, self._apart = True, False
        before = running_screen.set(self)
        try:
            with contextlib.redirect_stdout(self):
                yield
        finally:
            running_screen.reset(before)
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

    def draw(self, picture: Picture) -> None:
        """A picture in characters, in the width of the screen."""
        self.block(picture.lines(self.width, self.charset.readable))

    def spelled(self, working: Working) -> None:
        """Entries spelled out term by term, in the width of the screen."""
        self.block(self.spelled_lines(working))

    def spelled_lines(self, working: Working) -> list[Line]:
        """The lines of `spelled`."""
        from walkthrough.display.working import entry_lines

        return entry_lines(working.entries, width=self.width, readable=self.charset.readable)

    def prose(self, markdown: str) -> None:
        """Markdown, rendered."""
        if self._prose is None:
            from walkthrough.display.prose import LessonMarkdown

            self._prose = LessonMarkdown(self.console, self.charset.readable)
        self._send(self._prose.render(markdown, width=min(self.width, PROSE_WIDTH)))
