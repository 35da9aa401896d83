"""Fixtures of the tests."""

from __future__ import annotations

import pytest

from walkthrough.reference.document import Example, document


@pytest.fixture
def ex() -> Example:
    """The document's example."""
    return document()
