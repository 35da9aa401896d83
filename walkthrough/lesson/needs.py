"""What lessons need beside the base installation: packages, and the real model."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from walkthrough.installation import install_command
from walkthrough.lesson.words import RUN

if TYPE_CHECKING:
    from walkthrough.lesson.reading import Lesson


def is_here(name: str) -> bool:
    """Whether a package is installed; `model`: whether the real model can be run."""
    if name != "model":
        return name.isidentifier() and find_spec(name) is not None  # `a.b` would import a
    from walkthrough.llm.smollm2 import model_is_here

    return model_is_here()


def what_is_missing(lesson: Lesson, language: str) -> str:
    """A sentence that says what to install or fetch before the lesson can be run."""
    key, extra = ("model", "model") if "model" in lesson.missing else ("missing", "gpu")
    packages = ", ".join(lesson.missing)
    return RUN[language][key].format(packages=packages, command=install_command(extra))
