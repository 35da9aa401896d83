"""Fixtures of the tests."""

from __future__ import annotations

import os

import pytest

from walkthrough.reference.document import Example, document

os.environ.setdefault("TRITON_INTERPRET", "1")  # before anything imports Triton


@pytest.fixture
def ex() -> Example:
    """The document's example."""
    return document()
