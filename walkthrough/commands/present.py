"""`walkthrough present`: a lesson full-screen in front of a class."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.lesson.words import RUN
from walkthrough.presenter.words import PRESENT

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

LEAST_WIDTH, LEAST_HEIGHT = 80, 24

WORDS = PRESENT


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """A lesson, --example, --notes."""
    parser.add_argument("lesson", help=words["lesson"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("--no-text", action="store_true", help=words["no-text"])
    parser.options.add_argument("--notes", action="store_true", help=words["notes"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Present until the teacher quits; the status is 128 + n where signal n ended it."""
    from walkthrough.commands.console import progress
    from walkthrough.commands.run import say_remarks, use_example
    from walkthrough.document import current_example
    from walkthrough.lesson import needs, reading, running

    (lesson,) = reading.choose_lessons(
        reading.find_lessons(language), [options.lesson], options.no_text
    )
    if options.example is not None:
        use_example(options.example, language)
    if lesson.missing:
        raise CommandError(needs.what_is_missing(lesson, language))
    reading.lesson_steps(lesson)  # what is wrong with the file is said before the terminal's faults
    say_remarks(lesson, language)
    check_terminal(language)
    if hasattr(options, "plain"):
        os.environ["NO_COLOR"] = "1"  # as Textual reads it

    from walkthrough.presenter.app import Presenter
    from walkthrough.presenter.fullscreen import FullScreen, run_full_screen
    from walkthrough.presenter.notes import NotesFollower
    from walkthrough.presenter.settings import Setting, play
    from walkthrough.presenter.slides import slides

    setting = Setting(current_example.example())
    readable, precision = screen.charset.readable, screen.precision
    steps_to_record = len(reading.lesson_steps(lesson))
    try:
        app: FullScreen
        with progress(WORDS[language]["recording"], steps_to_record) as advance:
            if options.notes:
                sizes = {"width": LEAST_WIDTH, "precision": precision}
                steps = play(lesson, setting, language=language, progress=advance, **sizes)
                app = NotesFollower(lesson, slides(steps, precision), language, readable)
            else:
                app = Presenter(
                    lesson,
                    setting,
                    language,
                    precision=precision,
                    readable=readable,
                    width=getattr(options, "width", None),
                    file=options.example or "",
                    progress=advance,
                )
    except running.LessonCodeError as error:
        raise CommandError(RUN[language]["code"].format(reason=error)) from error
    return run_full_screen(app)


def check_terminal(language: str) -> None:
    """Raise UsageError where a full screen cannot be drawn."""
    words = WORDS[language]
    # Textual reads standard input and draws on standard error.
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    if not all(stream is not None and stream.isatty() for stream in streams):
        raise UsageError(words["terminal"])
    term = os.environ.get("TERM", "")
    if term in ("dumb", "unknown") or (not term and os.name != "nt"):
        raise UsageError(words["dumb"].format(term=f"TERM={term}"))
    width, height = shutil.get_terminal_size()
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        raise UsageError(words["small"].format(width=width, height=height))
