"""pytest runs the doctests inside the lessons: `pytest lessons`, or one file of it."""

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser()], pattern="*.md", excludes=["WRITING*.md"]
).pytest()
