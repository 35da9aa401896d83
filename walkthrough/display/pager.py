"""Reading in a terminal, a page at a time: on with Enter or Space, back with b, out with q."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from typing import TextIO

from rich.cells import cell_len

from walkthrough.display.keys import Keys, WindowsKeys

ON = {"\n", "\r", " ", "n", "j", "\x1b[6~", "\x1b[c", "\x1b[b"}  # Enter, Space, PgDn, right, down
BACK = {"b", "k", "p", "\x1b[5~", "\x1b[d", "\x1b[a", "\x7f"}  # PgUp, left, up, Backspace
STYLED = re.compile(r"\x1b\[[0-9;]*m")
SMALLEST = 3  # rows of a page, however small the window is


class LeaveError(Exception):
    """The reader has had enough."""


class Pager(io.TextIOBase):
    """A stream for a screen: what is written waits for `pause`, which shows it page by page.

    `ask` gives the line of keys that stands below a page. Raises LeaveError where the reader
    leaves; nothing is lost by that, but what was still to be shown is not.
    """

    def __init__(
        self,
        out: TextIO,
        keys: Keys | WindowsKeys,
        ask: Callable[[], str],
        size: Callable[[], tuple[int, int]] = shutil.get_terminal_size,
    ) -> None:
        self.out, self.keys, self.ask, self.size = out, keys, ask, size
        self._pending = ""
        self._pages: list[list[str]] = []

    def write(self, text: str) -> int:
        """Keep the text until there is a pause."""
        self._pending += text
        return len(text)

    def flush(self) -> None:
        """Nothing: a page is sent when it is its turn."""

    def pause(self) -> None:
        """Show what was written, page by page, and wait below each for a key."""
        for page in self._new_pages():
            self._pages.append(page)
            self._show(page)
            self._read()

    def finish(self) -> None:
        """Show what is left; below the last page nobody is asked."""
        new = self._new_pages()
        for page in new[:-1]:
            self._pages.append(page)
            self._show(page)
            self._read()
        for page in new[-1:]:
            self._show(page)

    def _new_pages(self) -> list[list[str]]:
        """The waiting lines in pages of the window's height, the line of keys left free."""
        columns, rows = self.size()
        room, lines = max(rows - 1, SMALLEST), self._pending.splitlines(keepends=True)
        self._pending, pages, filled = "", list[list[str]](), room
        for line in lines:
            width = cell_len(STYLED.sub("", line.rstrip("\n")))
            height = max(1, -(-width // max(columns, 1)))
            if filled + height > room:
                pages.append([])
                filled = 0
            pages[-1].append(line)
            filled += height
        return pages

    def _show(self, page: list[str]) -> None:
        self.out.write("".join(page))
        self.out.flush()

    def _read(self) -> None:
        """Wait until the reader goes on from the last page; meanwhile he may look at others."""
        at = len(self._pages) - 1
        while at < len(self._pages):
            key = self._key()
            if key == "q":
                raise LeaveError
            if key in ON:
                at += 1
            elif key in BACK and at:
                at -= 1
            else:
                continue
            if at < len(self._pages):
                self.out.write("\x1b[H\x1b[2J")
                self._show(self._pages[at])

    def _key(self) -> str:
        """A key, with the line that says which there are below the page as long as it waits."""
        self.out.write(self.ask())
        self.out.flush()
        try:
            while not (key := self.keys.read(0.5)):
                pass
            if key == "\x1b":  # the beginning of what an arrow sends
                while more := self.keys.read(0.03):
                    key += more
            return key
        finally:
            self.out.write("\r\x1b[K")
            self.out.flush()
