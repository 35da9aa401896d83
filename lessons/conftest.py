"""pytest runs the doctests inside the lessons: `pytest lessons`, or one file of it."""

import doctest
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from sybil import Document, Region, Sybil
from sybil.evaluators.doctest import DocTestEvaluator

from walkthrough.lesson.reading import CodeBlock, Lesson, lesson_steps

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as in the other tests, before torch


def examples(document: Document) -> Iterable[Region]:
    """The statements that `walkthrough run` runs, found by what it finds them with."""
    evaluate = DocTestEvaluator()
    starts = [0]
    for line in re.split(r"(?<=\n)", document.text):
        starts.append(starts[-1] + len(line))
    for block in [block for step in lesson_steps(Lesson(Path(document.path))) for block in step]:
        if isinstance(block, CodeBlock):
            for example in block.examples:
                first = block.line - 1 + example.lineno
                count = (example.source + example.want).count("\n")
                # Sybil adds the line of the region to that of the example within it.
                read = example.source, example.want, example.exc_msg
                parsed = doctest.Example(*read, options=example.options)
                yield Region(starts[first], starts[first + count], parsed, evaluate)


pytest_collect_file = Sybil(parsers=[examples], pattern="*.md", excludes=["WRITING*.md"]).pytest()

HERE = Path(__file__).parent


@cache
def needs(path: Path) -> list[str]:
    """What the lesson in that file takes beyond the base installation."""
    return Lesson(path).needs


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A lesson that runs torch or a real model is slow."""
    for item in items:
        if item.path.is_relative_to(HERE) and needs(item.path):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A lesson whose packages or model are not here is skipped, but never by CI."""
    lack = Lesson(Path(item.path)).missing
    if lack and not os.environ.get("CI"):
        pytest.skip(f"what this lesson needs is not here: {', '.join(lack)}")
