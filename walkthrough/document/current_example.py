"""Which example the lessons compute with: the document's, or a teacher's own file."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkthrough.document.example import Example

_chosen: ContextVar[Example] = ContextVar("example")
_used: Example | None = None


def example() -> Example:
    """The example to compute with: the file given with --example, else the document's."""
    from walkthrough.document.example_file import document

    chosen = _chosen.get(None) or _used or document()
    chosen.tell(edit=True)
    return chosen


def choose_example(path: str | Path) -> Example:
    """From now on compute with the example in this TOML file."""
    from walkthrough.document.example_file import load_example

    chosen = load_example(path)
    take(chosen)
    return chosen


def take(chosen: Example) -> None:
    """From now on compute with this example."""
    _chosen.set(chosen)


def use(toml: str) -> None:
    """From now on compute with the example in this text, in every cell of a notebook."""
    from walkthrough.document.example_file import parse_example

    global _used  # each cell has a context of its own, in which the choice would be lost
    _used = parse_example(toml, "example")
