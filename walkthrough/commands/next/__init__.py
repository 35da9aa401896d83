"""`walkthrough next`: where the learner is, and what comes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.course.words import NEXT

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS = NEXT


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """It takes none of its own."""


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Say how much is done, what is next, how long it takes, and what to type."""
    from walkthrough.course.standing import find_standing
    from walkthrough.course.view import show_next

    standing = find_standing(language)
    asked = hasattr(options, "lang")
    if not asked and standing.progress.language not in ("", language):
        language = standing.progress.language
        standing = find_standing(language)
    show_next(standing, screen, language)
    return 0
