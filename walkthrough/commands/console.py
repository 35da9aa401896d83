"""Standard output and standard error as the commands use them."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

    from walkthrough.display.screen import Screen


LONGEST_MESSAGE = 2000  # characters: a key in a file may have any number of them


def complain(message: str, end: str = "\n") -> None:
    """Say it on standard error, as well as that can, in one line of bounded length."""
    from walkthrough.display.charset import Charset, on_one_line

    if sys.stderr is not None:
        readable = Charset(sys.stderr.encoding or "utf-8").readable
        with contextlib.suppress(OSError):
            print(
                readable(on_one_line(message, LONGEST_MESSAGE)),
                end=end,
                file=sys.stderr,
                flush=True,
            )


def discard_output() -> None:
    """Point standard output nowhere, so that Python's own last flush does not fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


@contextlib.contextmanager
def progress(label: str, total: float) -> Iterator[Callable[[float], None]]:
    """A progress bar on standard error, where that is a terminal; gives what advances it."""
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda amount: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from walkthrough.display.charset import Charset

    readable = Charset(sys.stderr.encoding or "utf-8").readable
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(readable(label), total=total)
        yield lambda amount: bar.advance(task, amount)


def make_screen(options: argparse.Namespace) -> Screen:
    """The screen that the options, the terminal and the environment ask for."""
    from walkthrough.display.screen import DEFAULT_PRECISION, DEFAULT_WIDTH, Screen

    terminal = sys.stdout.isatty()
    unwanted = hasattr(options, "plain") or os.environ.get("NO_COLOR")
    colour = terminal and os.environ.get("TERM") != "dumb" and not unwanted
    size = shutil.get_terminal_size((DEFAULT_WIDTH, 24))
    width = size.columns if terminal else DEFAULT_WIDTH
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    return Screen(
        sys.stdout,
        width=getattr(options, "width", width),
        precision=getattr(options, "precision", DEFAULT_PRECISION),
        encoding="ascii" if hasattr(options, "ascii") else sys.stdout.encoding or "utf-8",
        colour=colour,
    )


@contextlib.contextmanager
def ending_cleanly() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the program, so that what is open is put in order."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {}
    for number in (getattr(signal, name) for name in names):
        if signal.getsignal(number) is signal.SIG_DFL:  # not where it is to be ignored
            before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
