"""The commands. Each imports what it needs when it runs, so that the small ones stay quick."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from walkthrough.arguments import UsageError, build_parser, choose_language
from walkthrough.classroom.words import EXAMPLE_ERRORS, WORDS

if TYPE_CHECKING:
    from walkthrough.classroom.screen import Screen

EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED, EXIT_CLOSED_PIPE = 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status. Every failure is one line on standard error."""
    from walkthrough.classroom.screen import OutputError

    argv = list(sys.argv[1:] if argv is None else argv)
    if sys.stdout is None:  # started with standard output closed
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    language = choose_language(argv)
    words = WORDS[language]
    try:
        return _dispatch(argv, language)
    except UsageError as error:
        _complain(words["error"] + str(error))
        return EXIT_USAGE
    except KeyboardInterrupt:
        _complain("\n" + words["interrupted"])
        return EXIT_INTERRUPTED
    except OutputError as error:
        _discard_output()
        reason = error.reason
        # Windows reports a closed pipe as an invalid argument.
        if reason.errno == errno.EPIPE or (os.name == "nt" and reason.errno == errno.EINVAL):
            return EXIT_CLOSED_PIPE  # what the shell reports for a program ended by SIGPIPE
        _complain(words["error"] + words["output"].format(reason=reason.strerror))
        return EXIT_FAILED
    except OSError as error:  # a lesson's file, say
        _complain(words["error"] + str(error))
        return EXIT_FAILED


def _complain(message: str, end: str = "\n") -> None:
    """Say it on standard error, as well as that can."""
    from walkthrough.classroom.charset import Charset

    if sys.stderr is not None:
        readable = Charset(sys.stderr.encoding or "utf-8").readable
        with contextlib.suppress(OSError):
            print(readable(message), end=end, file=sys.stderr, flush=True)


def _discard_output() -> None:
    """Point standard output nowhere, so that Python's own last flush does not fail again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _make_screen(options: argparse.Namespace) -> Screen:
    from walkthrough.classroom.screen import DEFAULT_PRECISION, DEFAULT_WIDTH, Screen

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


def _dispatch(argv: Sequence[str], language: str) -> int:
    from walkthrough.classroom.lessons import LessonError

    words = WORDS[language]
    options = build_parser(language).parse_args(argv)
    if (asked := getattr(options, "lang", language)) not in WORDS:
        raise UsageError(words["language"].format(language=asked, known=", ".join(WORDS)))
    screen = _make_screen(options)
    status = 0
    if options.version:
        from importlib.metadata import version

        screen.text(version("paged-attention-walkthrough"))
    else:
        handlers = {None: _welcome, "list": _list, "run": _run, "audit": _audit}
        try:
            status = handlers[options.command](options, screen, language)
        except LessonError as error:
            raise UsageError(words[error.kind].format(**error.fields)) from error
    screen.flush()
    return status


def _print_lessons(screen: Screen, language: str) -> None:
    from walkthrough.classroom.lessons import find_lessons
    from walkthrough.classroom.table import pad

    lessons = find_lessons(language)
    width = max(len(lesson.name) for lesson in lessons)
    for lesson in lessons:
        name, title = pad(lesson.name, width), screen.charset.readable(lesson.title)
        screen.lines([[(f"{lesson.number:>3}  ", "label"), (f"{name}  ", "rule"), (title, "")]])


def _list(options: argparse.Namespace, screen: Screen, language: str) -> int:
    _print_lessons(screen, language)
    return 0


def _welcome(options: argparse.Namespace, screen: Screen, language: str) -> int:
    from rich.cells import cell_len

    from walkthrough.classroom.table import pad

    words = WORDS[language]
    screen.prose(words["about"])
    screen.text()
    screen.text(words["lessons"], "title")
    _print_lessons(screen, language)
    screen.text()
    screen.text(words["start"], "title")
    other = "en" if language == "ko" else "ko"
    starts = [
        ("walkthrough run", words["start.run"]),
        ("walkthrough run 5", words["start.one"]),
        ("walkthrough run 5 --step", words["start.step"]),
        ("walkthrough run --example FILE.toml", words["start.example"]),
        ("walkthrough audit", words["start.audit"]),
        (f"walkthrough --lang {other}", words["start.lang"]),
    ]
    width = max(cell_len(command) for command, _ in starts)
    for command, what in starts:
        what = screen.charset.readable(what)
        screen.lines([[(f"  {pad(command, width)}", "code"), (f"  {what}", "")]])
    return 0


def _run(options: argparse.Namespace, screen: Screen, language: str) -> int:
    from walkthrough.classroom import lessons, runner

    words = WORDS[language]
    chosen = lessons.choose(lessons.find_lessons(language), options.lesson)
    if options.example is not None:
        _choose_example(options.example, screen, language)
    between = None
    if options.step:
        between = runner.WaitForEnter(screen, lambda: _complain(words["next"], end=""))
    for place, lesson in enumerate(chosen):
        if place:
            if between is not None:
                between()
            screen.text()
            screen.text()
        try:
            runner.run(lesson, screen, between)
        except runner.LessonCodeError as error:
            screen.flush()
            _complain(words["error"] + words["code"].format(reason=error))
            return EXIT_FAILED
    return 0


def _choose_example(path: str, screen: Screen, language: str) -> None:
    from walkthrough.classroom import what_if
    from walkthrough.reference.document import ExampleError

    try:
        example = what_if.choose(path)
    except ExampleError as error:
        sentences = error.TEXTS if language == "en" else EXAMPLE_ERRORS
        raise UsageError(error.text(sentences)) from error
    note = WORDS[language]["what-if"].format(file=path, title=example.title, eos=example.eos)
    screen.prose(note)
    screen.text()


def _audit(options: argparse.Namespace, screen: Screen, language: str) -> int:
    from walkthrough.classroom import audit

    return EXIT_FAILED if audit.report(screen, language, as_json=options.json) else 0
