"""pytest runs the doctests inside the lessons: `pytest lessons`, or one file of it."""

import os
from functools import cache
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

from walkthrough.lesson.reading import Lesson

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()], pattern="*.md", excludes=["WRITING*.md"]
).pytest()

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
