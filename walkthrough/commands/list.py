"""`walkthrough list`: the lessons."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.lesson.words import LIST

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS = LIST


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """It takes none of its own."""


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Print the lessons."""
    print_lessons(screen, language)
    return 0


def print_lessons(screen: Screen, language: str) -> None:
    """A line a lesson: number, name, title."""
    from walkthrough.display.table import pad
    from walkthrough.lesson.reading import find_lessons

    lessons = find_lessons(language)
    width = max(len(lesson.name) for lesson in lessons)
    for lesson in lessons:
        name, title = pad(lesson.name, width), screen.charset.readable(lesson.title)
        screen.lines([[(f"{lesson.number:>3}  ", "label"), (f"{name}  ", "rule"), (title, "")]])
