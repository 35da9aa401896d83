"""A full-screen terminal in the terminal's own colours: a head, a page of lines, a foot.

Whatever ends it, a key, Ctrl-C, SIGTERM, SIGHUP or an error, the terminal is left as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Sequence

from rich.cells import chop_cells
from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from walkthrough.presenter.keys import pressed
from walkthrough.presenter.view import Segments, styled
from walkthrough.presenter.words import WORDS

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
MARGIN = 1


class Page(Widget):
    """Lines, from one of them on; nothing wraps, and nothing is parsed."""

    DEFAULT_CSS = "Page { width: 100%; height: 1fr; }"

    def __init__(self, indent: int = MARGIN) -> None:
        super().__init__()
        self.indent = indent
        self.rows: Sequence[Segments] = ()
        self.top = 0

    def put(self, rows: Sequence[Segments], top: int = 0) -> None:
        """Show these lines, this one first."""
        self.rows, self.top = rows, top
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the screen."""
        place = self.top + y
        row = self.rows[place] if 0 <= place < len(self.rows) else []
        line = Strip([Segment(" " * self.indent), *row])
        return line.adjust_cell_length(self.size.width, self.rich_style)


class Bar(Page):
    """Lines at the edge of the screen."""

    DEFAULT_CSS = "Bar { width: 100%; height: auto; }"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as there are."""
        return len(self.rows)

    def put(self, rows: Sequence[Segments], top: int = 0) -> None:
        """Show these lines; the page has the rest of the screen."""
        other_height = len(rows) != len(self.rows)
        super().put(rows, top)
        if other_height:
            self.refresh(layout=True)


class Bare(Screen[None], inherit_bindings=False):
    """A screen without keys of its own."""

    DEFAULT_CSS = "Bare { layout: vertical; background: ansi_default; color: ansi_default; }"

    def on_resize(self) -> None:
        """Draw again in the new size, which the app itself has only after its own event."""
        if isinstance(self.app, FullScreen):
            self.app.resized()


class FullScreen(App[None], inherit_bindings=False):
    """What the presenter and the notes have in common."""

    ENABLE_COMMAND_PALETTE = False
    SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")

    def __init__(self, readable: Callable[[str], str], language: str) -> None:
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"  # names no colours but the terminal's own
        self.readable, self.language, self.words = readable, language, WORDS[language]
        self.head, self.page, self.beside, self.foot = Bar(0), Page(), Bar(), Bar()

    def get_default_screen(self) -> Screen[None]:
        """A screen on which every key is ours."""
        return Bare()

    def compose(self) -> ComposeResult:
        """Head, page, what stands below it, foot."""
        yield self.head
        yield self.page
        yield self.beside
        yield self.foot

    def on_mount(self) -> None:
        """Leave in good order when told to by a signal."""
        loop = asyncio.get_running_loop()
        for name in self.SIGNALS:
            # Windows has neither the signals nor the handlers; a test's loop may be in a thread.
            with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
                number = int(getattr(signal, name))
                loop.add_signal_handler(number, self.exit, None, 128 + number)

    def resized(self) -> None:
        """The terminal has another size now."""
        self.draw()

    def on_key(self, event: events.Key) -> None:
        """Pass each key that was pressed on, by its name."""
        event.stop()
        event.prevent_default()
        for key in pressed(event.key, event.character):
            if key == "ctrl+c":
                self.exit(return_code=130)
            elif key == "ctrl+z":
                self.action_suspend_process()
            else:
                self.press(key)

    def press(self, key: str) -> None:
        """What a key does."""
        raise NotImplementedError

    def paint(self) -> None:
        """Fill head, page and foot."""
        raise NotImplementedError

    def draw(self) -> None:
        """Paint, or say that there is not room enough."""
        width, height = self.size
        if width >= LEAST_WIDTH and height >= LEAST_HEIGHT:
            self.paint()
            return
        sentence = self.readable(self.words["small"].format(width=width, height=height))
        for bar in (self.head, self.beside, self.foot):
            bar.put([])
        pieces = chop_cells(sentence, max(2, width - MARGIN))
        self.page.put(styled([[(piece, "")] for piece in pieces]))


def run_full_screen(app: FullScreen) -> int:
    """Run the app in the terminal; returns the exit status.

    Textual restores the terminal itself. Where it may not have, because of an error inside of
    it, say, what it changes is put back here once more.
    """
    with _as_it_was():
        app.run()
        if app.return_code == 1:
            _restore()
    return app.return_code or 0


# No second screen (left without moving the cursor), keys, pasting, mouse, focus and resizing as
# usual, lines that wrap, a cursor.
RESTORE = "\x1b[?1047l\x1b[<u\x1b[?2004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
RESTORE += "\x1b[?1004l\x1b[?2048l\x1b[?7h\x1b[?25h"


def _restore() -> None:
    with contextlib.suppress(OSError):  # the terminal is gone
        print(RESTORE, end="", file=sys.__stderr__, flush=True)


@contextlib.contextmanager
def _as_it_was() -> Iterator[None]:
    try:
        import termios
    except ImportError:  # Windows
        yield
        return
    assert sys.__stdin__ is not None
    stream = sys.__stdin__.fileno()
    before = termios.tcgetattr(stream)
    try:
        yield
    except BaseException:
        _restore()
        raise
    finally:
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(stream, termios.TCSADRAIN, before)
