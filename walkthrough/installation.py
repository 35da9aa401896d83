"""Where this package was installed from: a checkout, or a wheel that holds everything."""

from __future__ import annotations

import os
import sys
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


def program(seen_from: Path | None = None) -> str:
    """How to call this program here: `walkthrough`, or by its path where no environment is active.

    seen_from: the folder in which it will be typed; the present one by default.
    """
    names = ("walkthrough", "walkthrough.exe")
    own = [script for name in names if (script := Path(sys.executable).parent / name).is_file()]
    folders = (Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    # As `shutil.which`, which takes longer to import than all of this.
    found = next(
        (f for folder in folders for name in names if (f := folder / name).is_file()), None
    )
    if not own:
        return (
            "walkthrough" if found else f"{_near(Path(sys.executable), seen_from)} -m walkthrough"
        )
    if found is not None and found.parent == own[0].parent:
        return "walkthrough"
    return _near(own[0], seen_from)


def _near(path: Path, seen_from: Path | None) -> str:
    """A path in as few words as the folder allows, quoted where it has a space."""
    here = Path.cwd() if seen_from is None else seen_from.resolve()
    shown = str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
    return f'"{shown}"' if " " in shown else shown


def install_command(extra: str) -> str:
    """What to type here to have an extra as well, for the Python that runs this.

    An installed wheel is called by its name, which pip finds installed and adds the extra to. A
    checkout stays one (`-e`), and is called by its path from anywhere but its folder. Double
    quotes mean the same to every shell, on Windows too.
    """
    if from_wheel():
        return f'{_pip()} install "{NAME}[{extra}]"'
    place = "." if Path.cwd() == CHECKOUT else CHECKOUT
    return f'{_pip()} install -e "{place}[{extra}]"'


def _pip() -> str:
    """`pip` where that is this Python's, in an activated environment; else this Python's path."""
    from shutil import which  # only a command that lacks something comes here

    python = Path(sys.executable)
    found = which("pip")
    if found is not None and Path(found).parent == python.parent:
        return "pip"
    return f"{_near(python, None)} -m pip"
