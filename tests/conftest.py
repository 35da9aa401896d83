"""Fixtures of the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from walkthrough.document.example import Example
from walkthrough.document.example_file import document

if TYPE_CHECKING:
    from walkthrough.llm.loading import LanguageModelFile

os.environ.setdefault("TRITON_INTERPRET", "1")  # before anything imports Triton
# Before anything imports torch: threads that wait do not take the other workers' time.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# On a machine with other work a single example may take any time; nothing is said by that.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def ex() -> Example:
    """The document's example."""
    return document()


@pytest.fixture
def runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that a presentation's notes follow lies in a folder of this test's own."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """The real model's file, fetched once into the user's cache folder."""
    from walkthrough.llm import smollm2

    path = smollm2.model_path()
    if not smollm2.is_right(path):
        try:
            smollm2.fetch(path)
        except smollm2.FetchError as error:
            if os.environ.get("CI"):  # there a test that does not run is a failure
                raise
            pytest.skip(f"the model file could not be fetched: {error}")
    return path


@pytest.fixture(scope="session")
def smollm2_file(smollm2_path: Path) -> LanguageModelFile:
    """The real model and its tokenizer."""
    from walkthrough.llm.loading import load_model

    return load_model(smollm2_path)
