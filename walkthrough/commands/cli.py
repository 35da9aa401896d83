"""The commands, brought together: the parser, the exit statuses, what a failure says."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from walkthrough.commands import COMMANDS
from walkthrough.commands.arguments import CommandError, Parser, UsageError, choose_language
from walkthrough.commands.console import complain, discard_output, make_screen
from walkthrough.commands.words import WORDS
from walkthrough.reasons import Reason

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen

EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED, EXIT_CLOSED_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status. Every failure is one line on standard error."""
    from walkthrough.display.screen import OutputError

    argv = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # started with standard output closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    language = choose_language(argv)
    words = WORDS[language]
    try:
        for argument in argv:
            if any("\ud800" <= character <= "\udfff" for character in argument):
                raise UsageError(words["not text"].format(argument=argument))
        return _dispatch(argv, language)
    except CommandError as error:
        complain(WORDS.get(error.language, words)["error"] + str(error))
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED
    except KeyboardInterrupt:
        complain("")
        complain(words["interrupted"])
        return EXIT_INTERRUPTED
    except OutputError as error:
        discard_output()
        reason = error.reason
        # Windows reports a closed pipe as an invalid argument.
        if reason.errno == errno.EPIPE or (os.name == "nt" and reason.errno == errno.EINVAL):
            return EXIT_CLOSED_PIPE  # what the shell reports for a program ended by SIGPIPE
        complain(words["error"] + words["output"].format(reason=Reason(reason)))
        return EXIT_FAILED
    except OSError as error:  # a lesson's file, say
        complain(words["error"] + str(error))
        return EXIT_FAILED


def build_parser(language: str, only: str | None = None) -> argparse.ArgumentParser:
    """The whole command line, with its help in this language.

    Where it is known which command is meant, the modules of the others are not imported.
    """
    words = WORDS[language]
    parser = Parser(language=language, prog="walkthrough", description=words["about"])
    parser.options.add_argument("--version", action="store_true", help=words["help.version"])
    commands = parser.add_subparsers(
        dest="command", title=words["help.commands"], metavar="COMMAND", parser_class=Parser
    )
    for name in COMMANDS:
        if only not in (None, name):
            commands.add_parser(name, language=language)
            continue
        module = import_module(f"walkthrough.commands.{name}")
        text = module.WORDS[language]["help"]
        command = commands.add_parser(name, language=language, help=text, description=text)
        module.add_arguments(command, words | module.WORDS[language])
    return parser


def _dispatch(argv: Sequence[str], language: str) -> int:
    from walkthrough.lesson.reading import LessonError
    from walkthrough.lesson.words import LESSON_ERRORS

    errors = LESSON_ERRORS[language]
    only = argv[0] if argv and argv[0] in COMMANDS else None
    options = build_parser(language, only).parse_args(argv)
    if (asked := getattr(options, "lang", language)) not in WORDS:
        raise UsageError(errors["language"].format(language=asked, known=", ".join(WORDS)))
    screen = make_screen(options)
    status = 0
    if options.version:
        from importlib.metadata import version

        screen.text(version("paged-attention-walkthrough"))
    elif options.command is None:
        _welcome(screen, language)
    else:
        module = import_module(f"walkthrough.commands.{options.command}")
        try:
            status = module.main(options, screen, language)
        except LessonError as error:
            raise UsageError(errors[error.kind].format(**error.fields)) from error
    screen.flush()
    return status


def _welcome(screen: Screen, language: str) -> None:
    from rich.cells import cell_len

    from walkthrough.commands.list import print_lessons
    from walkthrough.course.view import show_where
    from walkthrough.display.table import pad

    words = WORDS[language]
    screen.prose(words["about"])
    screen.text()
    show_where(screen, language)
    screen.text(words["lessons"], "title")
    print_lessons(screen, language)
    screen.text()
    screen.text(words["start"], "title")
    other = "en" if language == "ko" else "ko"
    starts = [
        ("walkthrough run", words["start.run"]),
        ("walkthrough run 5", words["start.one"]),
        ("walkthrough run 5 --step", words["start.step"]),
        ("walkthrough present 5", words["start.present"]),
        ("walkthrough run --example FILE.toml", words["start.example"]),
        ("walkthrough export 5", words["start.export"]),
        ("walkthrough audit", words["start.audit"]),
        ("walkthrough exercise init", words["start.exercise"]),
        ("walkthrough next", words["start.next"]),
        (f"walkthrough --lang {other}", words["start.lang"]),
    ]
    width = max(cell_len(command) for command, _ in starts)
    for command, what in starts:
        what = screen.charset.readable(what)
        screen.lines([[(f"  {pad(command, width)}", "code"), (f"  {what}", "")]])
