"""What can be typed behind `walkthrough`: the language, and the options of every command."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from walkthrough.commands.words import ARGPARSE, WORDS


class CommandError(Exception):
    """A command failed, status 1; the message is for the user.

    `language`: where it is another than that of the command line.
    """

    def __init__(self, message: str, language: str = "") -> None:
        self.language = language
        super().__init__(message)


class UsageError(CommandError):
    """What was asked for cannot be done as asked, status 2; the message is for the user."""


def choose_language(argv: Sequence[str]) -> str:
    """The language of the messages: the last --lang, else that of the learner's folder here.

    Where there is none, the locale's, else Korean.
    Where the locale names no language and the console has no Hangul, English is readable.
    """
    given = [
        value if name == "--lang" else value.removeprefix("--lang=")
        for name, value in itertools.pairwise(["", *argv])
        if name == "--lang" or value.startswith("--lang=")
    ]
    known = [language for language in given if language in WORDS]
    if known:
        return known[-1]
    if (kept := _kept_language()) in WORDS:
        return kept
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides
    named = next((value for name in variables if (value := os.environ.get(name))), "")
    if not named and os.name == "nt":
        import locale

        named = locale.getlocale()[0] or ""
    name = named.partition(".")[0].lower()
    if name in ("", "c", "posix"):
        from walkthrough.display.charset import Charset

        hangul = Charset(sys.stdout.encoding or "utf-8").encodes("가") and "--ascii" not in argv
        return "ko" if hangul else "en"
    return "ko" if name.startswith("ko") else "en"


def _kept_language() -> str:
    """The language of a learner's folder that is found from here; "" where there is none."""
    try:
        here = Path.cwd()
    except OSError:  # the folder is gone
        return ""
    places = (here, here / "exercises", *here.parents)
    if not any((place / ".walkthrough").is_dir() for place in places):
        return ""  # nothing more is imported
    from walkthrough.exercises.find import ExerciseError
    from walkthrough.exercises.folder import locate
    from walkthrough.exercises.progress import DamagedError

    try:
        return locate(None).store.read().language
    except (ExerciseError, DamagedError, OSError):
        return ""


class Parser(argparse.ArgumentParser):
    """argparse with our words, readable on any console, failing with one sentence."""

    def __init__(self, *, language: str, **details: Any) -> None:
        super().__init__(add_help=False, allow_abbrev=False, **details)
        self.language, self.words = language, (words := WORDS[language])
        self._positionals.title = words["help.positionals"]
        group = self.add_argument_group(words["help.options"])
        group.add_argument("-h", "--help", action="help", help=words["help.help"])

        def option(name: str, **details: Any) -> None:
            # Given before the command or after it; absent from the result where not given.
            group.add_argument(
                f"--{name}", default=argparse.SUPPRESS, help=words[f"help.{name}"], **details
            )

        option("lang", metavar="ko|en")
        option("plain", action="store_true")
        option("ascii", action="store_true")
        option("precision", metavar="N", type=whole(0, 15, words))
        option("width", metavar="N", type=whole(20, 1000, words))
        self.options = group

    def error(self, message: str) -> NoReturn:
        """Raise UsageError, with argparse's message in our words."""
        for english, ours in ARGPARSE[self.language].items():
            message = re.sub(english, ours, message)
        raise UsageError(f"{message} (walkthrough --help)")

    def format_help(self) -> str:
        """The help, which begins with our word for usage."""
        return self.words["usage"] + super().format_help().removeprefix("usage: ")

    def _print_message(self, message: str, file: Any = None) -> None:
        from walkthrough.display.charset import Charset

        file = file or sys.stderr
        file.write(Charset(getattr(file, "encoding", None) or "utf-8").readable(message))


def whole(low: int, high: int, words: dict[str, str]) -> Callable[[str], int]:
    """An argument's type: a whole number from low to high."""

    def parse(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high:
            return int(text)
        value = text if len(text) <= 20 else text[:20] + "..."
        message = words["whole"].format(low=low, high=high, value=value)
        raise argparse.ArgumentTypeError(message)

    return parse


def decimal(low: float, high: float, words: dict[str, str]) -> Callable[[str], float]:
    """An argument's type: a number from low to high."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = high + 1
        if not low <= value <= high:  # not a number is not, either
            message = words["decimal"].format(low=low, high=high, value=text[:20])
            raise argparse.ArgumentTypeError(message)
        return value

    return parse
