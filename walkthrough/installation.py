"""Where this package was installed from: a checkout, or a wheel that holds everything."""

from __future__ import annotations

from pathlib import Path

NAME = "paged-attention-walkthrough"
__version__ = "0.1.0"

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent


def from_wheel() -> bool:
    """Whether the lessons stand inside the package, as a wheel puts them."""
    return (PACKAGE / "lessons").is_dir()


def lessons_folder() -> Path:
    """`lessons` beside the package in a checkout, inside it when installed."""
    return (PACKAGE if from_wheel() else CHECKOUT) / "lessons"


def install_command(extra: str) -> str:
    """What to type to have an extra as well: by name, or from the checkout's folder."""
    what = f"{NAME}[{extra}]" if from_wheel() else f".[{extra}]"
    return f"pip install '{what}'"
