"""`--html FILE`: what a command shows, as a page too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError
from walkthrough.commands.report.words import WORDS as WORDS
from walkthrough.files import write_whole
from walkthrough.reasons import Reason

if TYPE_CHECKING:
    from walkthrough.display.drawing.document import DocumentScreen
    from walkthrough.display.screen import Screen


def page_screen(screen: Screen, language: str) -> DocumentScreen:
    """What becomes the page; numbers have the screen's precision."""
    from walkthrough.display.drawing.document import DocumentScreen

    return DocumentScreen(screen.precision, WORDS[language]["values"])


def write_page(path: Path, page: DocumentScreen, title: str, screen: Screen, language: str) -> None:
    """Write the file whole, and say so; where it cannot be written, all is as it was."""
    words = WORDS[language]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, page.html(title, language))
    except OSError as error:
        text = words["unwritable"].format(path=path, reason=Reason(error))
        raise CommandError(text) from error
    screen.text()
    screen.text(words["written"].format(file=path))
