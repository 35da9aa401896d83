"""What lessons need beside the base installation: packages, and the real model."""

from __future__ import annotations

from importlib.util import find_spec


def is_here(name: str) -> bool:
    """Whether a package is installed; `model`: whether the real model can be run."""
    if name != "model":
        return find_spec(name) is not None
    from walkthrough.llm.smollm2 import model_is_here

    return model_is_here()
