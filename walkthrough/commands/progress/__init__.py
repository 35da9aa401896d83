"""`walkthrough progress`: the whole way, and what of it is done."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import UsageError
from walkthrough.course.words import PROGRESS

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS = PROGRESS


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """--md, --json, --name, --folder."""
    parser.options.add_argument("--md", action="store_true", help=words["md"])
    parser.options.add_argument("--json", action="store_true", help=words["json"])
    parser.options.add_argument("--name", metavar="NAME", default="", help=words["name"])
    parser.options.add_argument("--folder", metavar="DIR", help=words["folder"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Draw the way, or print its summary."""
    from walkthrough.course import summary, view
    from walkthrough.course.standing import find_standing
    from walkthrough.exercises.find import ExerciseError
    from walkthrough.exercises.words import WORDS as EXERCISE_WORDS

    if options.md and options.json:
        raise UsageError(WORDS[language]["both"])
    try:
        standing = find_standing(language, options.folder)
    except ExerciseError as error:
        message = EXERCISE_WORDS[language][error.kind].format(**error.fields)
        raise UsageError(message) from error
    if not hasattr(options, "lang") and standing.progress.language not in ("", language):
        language = standing.progress.language
        standing = find_standing(language, options.folder)
    if options.json:
        screen.write(summary.as_json(standing, options.name))
    elif options.md:
        screen.write(summary.as_markdown(standing, language, options.name))
    else:
        view.show_way(standing, screen, language)
    return 0
