"""`walkthrough audit`: every figure that the text prints, computed again."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.document.audit_words import AUDIT

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS = AUDIT


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """--json."""
    parser.options.add_argument("--json", action="store_true", help=words["json"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """1 where a figure that should hold does not."""
    from walkthrough.document import audit

    return 1 if audit.print_audit(screen, language, as_json=options.json) else 0
