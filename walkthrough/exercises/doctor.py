"""What the exercises run on, and what is wrong with it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from walkthrough.display.screen import Screen
from walkthrough.exercises.checking.process import run_check
from walkthrough.exercises.find import Exercise
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.progress import DamagedError
from walkthrough.exercises.words import DOCTOR


@dataclass(frozen=True)
class Diagnosis:
    """Facts as (name, value), remarks that are no fault, and faults, in sentences."""

    facts: list[tuple[str, str]]
    remarks: list[str]
    faults: list[str]


def diagnose(
    exercises: list[Exercise], folder: Folder | None, screen: Screen, language: str
) -> Diagnosis:
    """Look at everything that the exercises need."""
    words = DOCTOR[language]
    remarks, faults = [], []
    size = shutil.get_terminal_size()
    terminal = sys.stdout.isatty() and sys.stdin is not None and sys.stdin.isatty()
    name = os.environ.get("TERM", "") if terminal else words["none"]
    checked = run_check(exercises[0], exercises[0].solution)
    shown = words["terminal"].format(name=name, columns=size.columns, rows=size.lines)
    facts = [
        ("walkthrough", _version("paged-attention-walkthrough")),
        ("Python", f"{platform.python_version()} ({sys.executable})"),
        ("NumPy", _version("numpy")),
        ("rich", _version("rich")),
        ("torch", _version("torch") if find_spec("torch") else words["torch"]),
        ("system", platform.platform()),
        ("terminal", shown if terminal else name),
        ("encoding", screen.charset.encoding),
        ("language", language),
        ("folder", str(folder.path.resolve()) if folder else words["none"]),
        ("check", words["checks"].format(count=len(exercises), seconds=checked.seconds)),
    ]
    if not screen.charset.encodes("가"):
        remarks.append(words["encoding"].format(encoding=screen.charset.encoding))
    if terminal and size.columns < 60:
        remarks.append(words["narrow"].format(columns=size.columns))
    if not terminal:
        remarks.append(words["keys"])
    if find_spec("resource") is None:
        remarks.append(words["memory"])
    if not checked.passed:
        faults.append(words["check"].format(kind=checked.kind))
    if folder is None:
        remarks.append(words["folder"])
    else:
        faults += _folder_faults(folder, words)
    return Diagnosis(facts, remarks, faults)


def _folder_faults(folder: Folder, words: dict[str, str]) -> list[str]:
    faults = []
    for path in (folder.path, folder.store.folder):
        if not _writable(path):
            faults.append(words["write"].format(folder=path))
    try:
        folder.store.read()
    except (DamagedError, OSError):
        faults.append(words["damaged"])
    return faults


def _writable(path: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"x" * 4096)
    except OSError:
        return False
    return True


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"
