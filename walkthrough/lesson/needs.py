"""What lessons need beside the base installation: packages, and the real model."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from walkthrough.lesson.words import RUN

if TYPE_CHECKING:
    from walkthrough.lesson.reading import Lesson

MODEL_PACKAGES = ("gguf", "tokenizers", "threadpoolctl", "platformdirs")  # the extra `model`


def is_here(name: str) -> bool:
    """Whether a package is installed; `model`: the extra's packages and the fetched file."""
    if name != "model":
        return find_spec(name) is not None
    if any(find_spec(package) is None for package in MODEL_PACKAGES):
        return False
    from walkthrough.llm import smollm2

    return smollm2.model_path().is_file()


def what_is_missing(lesson: Lesson, language: str) -> str:
    """A sentence that says what to install or fetch before the lesson can be run."""
    key = "model" if "model" in lesson.missing else "missing"
    return RUN[language][key].format(packages=", ".join(lesson.missing))
