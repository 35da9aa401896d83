"""What can be typed behind `walkthrough`: the language, the commands and their options."""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from walkthrough.classroom.words import ARGPARSE, WORDS


class UsageError(Exception):
    """What was asked for cannot be done as asked; the message is for the user."""


def choose_language(argv: Sequence[str]) -> str:
    """The language of the messages: the last --lang, else the locale's, else Korean.

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
    variables = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides
    named = next((value for name in variables if (value := os.environ.get(name))), "")
    if not named and os.name == "nt":
        import locale

        named = locale.getlocale()[0] or ""
    name = named.partition(".")[0].lower()
    if name in ("", "c", "posix"):
        from walkthrough.classroom.charset import Charset

        hangul = Charset(sys.stdout.encoding or "utf-8").encodes("가") and "--ascii" not in argv
        return "ko" if hangul else "en"
    return "ko" if name.startswith("ko") else "en"


class _Parser(argparse.ArgumentParser):
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
        option("precision", metavar="N", type=_whole(0, 15, words))
        option("width", metavar="N", type=_whole(20, 1000, words))
        self.options = group

    def error(self, message: str) -> NoReturn:
        for english, ours in ARGPARSE[self.language].items():
            message = re.sub(english, ours, message)
        raise UsageError(f"{message} (walkthrough --help)")

    def format_help(self) -> str:
        return self.words["usage"] + super().format_help().removeprefix("usage: ")

    def _print_message(self, message: str, file: Any = None) -> None:
        from walkthrough.classroom.charset import Charset

        file = file or sys.stderr
        file.write(Charset(getattr(file, "encoding", None) or "utf-8").readable(message))


def _whole(low: int, high: int, words: dict[str, str]) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text) <= high:
            return int(text)
        value = text if len(text) <= 20 else text[:20] + "..."
        message = words["whole"].format(low=low, high=high, value=value)
        raise argparse.ArgumentTypeError(message)

    return parse


def build_parser(language: str) -> argparse.ArgumentParser:
    """The whole command line, with its help in this language."""
    words = WORDS[language]
    parser = _Parser(language=language, prog="walkthrough", description=words["about"])
    parser.options.add_argument("--version", action="store_true", help=words["help.version"])
    commands = parser.add_subparsers(
        dest="command",
        title=words["help.commands"],
        metavar="COMMAND",
        parser_class=_Parser,
    )

    def command(name: str) -> _Parser:
        text = words[f"help.{name}"]
        return commands.add_parser(name, language=language, help=text, description=text)

    command("list")
    run = command("run")
    run.add_argument("lesson", nargs="*", help=words["help.lesson"])
    run.options.add_argument("--example", metavar="FILE.toml", help=words["help.example"])
    run.options.add_argument("--step", action="store_true", help=words["help.step"])
    audit = command("audit")
    audit.options.add_argument("--json", action="store_true", help=words["help.json"])
    return parser
