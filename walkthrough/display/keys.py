"""Keys without Enter, and a terminal that is always left as it was found."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

# What the same keys send where the keyboard is switched to Hangul.
HANGUL = {"ㅜ": "n", "ㅠ": "b", "ㅗ": "h", "ㅣ": "l", "ㄱ": "r", "ㅂ": "q", "ㅓ": "j", "ㅏ": "k"}


class Keys:
    """Reads single keys from the terminal, on a POSIX system, between `with` and its end.

    Stopping the program (Ctrl-Z) gives the terminal back; when it is in the foreground again,
    the terminal is taken again and `resumed` is called.
    """

    def __init__(self, resumed: Callable[[], None] = lambda: None) -> None:
        self.resumed = resumed
        self._fd = sys.stdin.fileno()
        self._decode = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace")
        self._waiting: list[str] = []
        self._saved: list[Any] = []
        self._taken = False
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Keys:
        import termios

        self._saved = termios.tcgetattr(self._fd)
        try:
            if signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:
                self._handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)
            self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._go_on)
            self._take()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        interrupt = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut this short
        self._give_back()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.signal(signal.SIGINT, interrupt)

    def read(self, seconds: float) -> str:
        """A key, in lower case and as on a Latin keyboard; "" where none came in time."""
        if not self._taken and os.tcgetpgrp(self._fd) == os.getpgrp():
            self._take()
            self.resumed()
        if not self._taken:  # in the background, where reading would stop the program
            time.sleep(seconds)
            return ""
        if not self._waiting and select.select([self._fd], [], [], seconds)[0]:
            data = os.read(self._fd, 1024)
            if not data:  # the terminal is gone
                raise EOFError
            self._waiting += self._decode.decode(data)
        if not self._waiting:
            return ""
        key = self._waiting.pop(0)
        return HANGUL.get(key, key.lower())

    def _take(self) -> None:
        import termios

        mode = termios.tcgetattr(self._fd)
        mode[3] &= ~(termios.ECHO | termios.ICANON)  # Ctrl-C and Ctrl-Z stay what they are
        mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSADRAIN, mode)
        self._taken = True

    def _give_back(self) -> None:
        import termios

        self._taken = False
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._saved)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._give_back()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # here it stops
        signal.signal(signal.SIGTSTP, self._stop)

    def _go_on(self, number: int, frame: FrameType | None) -> None:
        self._taken = False  # the shell has put its own modes in place meanwhile


class WindowsKeys:
    """The same on Windows, whose console has no mode to restore."""

    def __init__(self, resumed: Callable[[], None] = lambda: None) -> None:
        pass

    def __enter__(self) -> WindowsKeys:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def read(self, seconds: float) -> str:
        """A key, in lower case and as on a Latin keyboard; "" where none came in time."""
        import msvcrt

        console: Any = msvcrt
        end = time.monotonic() + seconds
        while not console.kbhit():
            if time.monotonic() >= end:
                return ""
            time.sleep(0.02)
        key: str = console.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        return HANGUL.get(key, key.lower())


def make_keys(resumed: Callable[[], None]) -> Keys | WindowsKeys:
    """Keys as this system has them."""
    return WindowsKeys(resumed) if os.name == "nt" else Keys(resumed)
