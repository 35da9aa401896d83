"""Which example the lessons compute with: the document's, or a teacher's own file."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkthrough.reference.document import Example

_chosen: ContextVar[Example] = ContextVar("example")


def example() -> Example:
    """The example to compute with: the file given with --example, else the document's."""
    from walkthrough.reference.document import document

    return _chosen.get(None) or document()


def choose(path: str | Path) -> Example:
    """From now on compute with the example in this TOML file."""
    from walkthrough.reference.document import load

    chosen = load(path)
    use(chosen)
    return chosen


def use(chosen: Example) -> None:
    """From now on compute with this example."""
    _chosen.set(chosen)
