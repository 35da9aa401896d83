"""`walkthrough run`: lessons in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.commands.console import complain
from walkthrough.lesson.words import REMARKS, RUN

if TYPE_CHECKING:
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
    parser.options.add_argument("--step", action="store_true", help=words["step"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Run the lessons asked for, one after the other; 1 where a lesson's code fails."""
    from walkthrough.course.closing import show_closing
    from walkthrough.lesson import needs, reading, running

    words = WORDS[language]
    chosen = reading.choose_lessons(reading.find_lessons(language), options.lesson)
    if options.example is not None:
        announce_example(options.example, screen, language)
    between = None
    if options.step:
        between = running.WaitForEnter(screen, lambda: complain(words["next"], end=""))
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
