"""`walkthrough example`: a file with tokens and weights of one's own, made and checked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.document.words import EXAMPLE
from walkthrough.files import write_whole
from walkthrough.reasons import Reason

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

WORDS = EXAMPLE


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """What to do, and the file."""
    parser.add_argument(
        "action", choices=["new", "check"], metavar="new|check", help=words["action"]
    )
    parser.add_argument("file", metavar="FILE.toml", help=words["file"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Write the file, or check it; a file that is not right is status 2."""
    if options.action == "new":
        _write(options.file, screen, language)
    else:
        _check(options.file, screen, language)
    return 0


def _write(file: str, screen: Screen, language: str) -> None:
    from walkthrough.document.example_file import document
    from walkthrough.document.template import commented

    words = WORDS[language]
    text = commented(document(), language, file)
    try:
        write_whole(Path(file), text, new=True)
    except FileExistsError as error:
        raise UsageError(words["exists"].format(file=file)) from error
    except OSError as error:
        message = words["unwritable"].format(file=file, reason=Reason(error))
        raise CommandError(message) from error
    screen.text(words["written"].format(file=file))


def _check(file: str, screen: Screen, language: str) -> None:
    from walkthrough.commands.run import use_example
    from walkthrough.display.prose import as_it_stands
    from walkthrough.document.example_tables import generated, generated_table, sizes_table

    words = WORDS[language]
    example = use_example(file, language)
    screen.text(words["fine"].format(file=file))
    screen.text()
    screen.table(sizes_table(example, language))
    chosen = generated(example)
    screen.text()
    screen.table(generated_table(example, chosen, language))
    if chosen[-1] != example.eos:
        screen.text()
        eos = as_it_stands(example.eos)
        screen.prose(words["endless"].format(eos=eos, steps=len(chosen)))
