"""`walkthrough run`: lessons in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, TextIO, cast

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.commands.console import complain
from walkthrough.lesson.words import REMARKS, RUN

if TYPE_CHECKING:
    from collections.abc import Callable

    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.document.example import Example
    from walkthrough.lesson.reading import Lesson

WORDS = RUN
LONG_PROMPT = 200  # tokens; the steps that show each product take time with the square of them


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Lessons, --example, --step."""
    parser.add_argument("lesson", nargs="*", help=words["lesson"])
    parser.options.add_argument("--example", metavar="FILE.toml", help=words["example"])
    parser.options.add_argument("--no-text", action="store_true", help=words["no-text"])
    parser.options.add_argument("--step", action="store_true", help=words["step"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Run the lessons asked for, one after the other; 1 where a lesson's code fails."""
    from walkthrough.lesson import reading, running

    words = WORDS[language]
    chosen = reading.choose_lessons(reading.find_lessons(language), options.lesson, options.no_text)
    if options.example is not None:
        announce_example(options.example, screen, language)
    if options.step and in_a_terminal():
        return read_by_pages(chosen, screen, language)
    between = None
    if options.step:
        between = running.WaitForEnter(screen, lambda: complain(words["next"], end=""))
    show_lessons(chosen, screen, language, between)
    return 0


def show_lessons(
    chosen: list[Lesson], screen: Screen, language: str, between: Callable[[], None] | None
) -> None:
    """Run lessons one after the other; `between` waits for the reader."""
    from walkthrough.course.closing import show_closing
    from walkthrough.lesson import needs, running

    words = WORDS[language]
    for place, lesson in enumerate(chosen):
        if place:
            if between is not None:
                between()
            screen.text()
            screen.text()
        if lesson.missing:
            screen.prose(f"# {lesson.number}. {lesson.title}")
            screen.text()
            screen.prose(needs.what_is_missing(lesson, language))
            continue
        try:
            say_remarks(lesson, language)
            running.run_lesson(lesson, screen, between, language)
        except running.LessonCodeError as error:
            screen.flush()
            raise CommandError(words["code"].format(reason=error)) from error
        show_closing(lesson, screen, language)


def in_a_terminal() -> bool:
    """Whether single keys can be read here, and a line be taken back."""
    streams = (sys.stdin, sys.stdout)
    return os.environ.get("TERM") != "dumb" and all(s is not None and s.isatty() for s in streams)


def read_by_pages(chosen: list[Lesson], screen: Screen, language: str) -> int:
    """The same page by page, with a way back; 0 also where the reader leaves early."""
    from walkthrough.commands.console import ending_cleanly
    from walkthrough.display.keys import make_keys
    from walkthrough.display.pager import LeaveError, Pager

    asked = screen.charset.readable(WORDS[language]["keys"])
    line = f"\x1b[2m{asked}\x1b[0m" if screen.colour else asked
    with ending_cleanly(), make_keys(lambda: None) as keys:
        pager = Pager(screen.out, keys, lambda: line)
        try:
            with screen.sent_to(cast("TextIO", pager)):
                show_lessons(chosen, screen, language, pager.pause)
            pager.finish()
        except LeaveError:
            pass
        except EOFError:  # the terminal is gone
            return 1
    return 0


def say_remarks(lesson: Lesson, language: str) -> None:
    """Say what a lesson's file lacks; it is shown all the same."""
    for kind, fields in lesson.remarks:
        complain(REMARKS[language][kind].format(**fields))


def announce_example(path: str, screen: Screen, language: str) -> None:
    """Compute with a teacher's example from now on, and say so."""
    screen.prose(example_note(use_example(path, language), path, language))
    screen.text()


def use_example(path: str, language: str) -> Example:
    """Compute with a teacher's example from now on. Raises UsageError where it is not right."""
    from walkthrough.document import current_example
    from walkthrough.document.example_checks import ExampleError

    try:
        return current_example.choose_example(path)
    except ExampleError as error:
        raise UsageError(error.text(language)) from error


def example_note(example: Example, file: str, language: str) -> str:
    """What a reader should know of an example that is not the text's, in Markdown."""
    from walkthrough.display.prose import as_it_stands

    words, names = WORDS[language], {"title": example.title, "eos": example.eos, "file": file}
    said = words["what-if"].format(**{key: as_it_stands(name) for key, name in names.items()})
    if len(example.prompt) > LONG_PROMPT:
        said += " " + words["long"].format(tokens=f"{len(example.prompt):,}")
    return said
