"""pytest runs the doctests inside the lessons: `pytest lessons`, or one file of it."""

import os
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

from walkthrough.lesson.reading import Lesson

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()], pattern="*.md", excludes=["WRITING*.md"]
).pytest()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A lesson whose packages or model are not here is skipped, but never by CI."""
    lack = Lesson(Path(item.path)).missing
    if lack and not os.environ.get("CI"):
        pytest.skip(f"what this lesson needs is not here: {', '.join(lack)}")
