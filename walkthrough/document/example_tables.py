"""What `walkthrough example check` shows of an example: its sizes, and what its model generates."""

from __future__ import annotations

from walkthrough.display.table import Table
from walkthrough.document.example import Example
from walkthrough.document.words import EXAMPLE
from walkthrough.reference.cache import NoCache
from walkthrough.reference.model import generate

MOST_STEPS = 16  # as many as the lessons generate


def sizes_table(example: Example, language: str) -> Table:
    """d_model, heads, d_k, tokens."""
    words = EXAMPLE[language]
    sizes = [example.d_model, example.heads, example.d_k, len(example.tokens)]
    return Table(words["sizes"], [sizes], cols=["d_model", "heads", "d_k", words["tokens"]])


def generated(example: Example) -> list[str]:
    """The tokens that its model chooses after the prompt, as far as the lessons go."""
    steps = generate(example.model, example.ids(example.prompt), NoCache(), MOST_STEPS)
    return example.texts(step.next_token for step in steps)


def generated_table(example: Example, chosen: list[str], language: str) -> Table:
    """The prompt, and what follows it."""
    words = EXAMPLE[language]
    cells = [[" ".join(example.prompt), " ".join(chosen)]]
    return Table(words["generates"], cells, cols=[words["prompt"], words["chosen"]])
