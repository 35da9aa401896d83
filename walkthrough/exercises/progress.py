"""What a learner has passed, in a file that no crash and no full disk can lose.

It is written as a new file that then takes the name of the old one, which is kept beside it as
the last good one. A file that is damaged, or another program's, is set aside.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT = "walkthrough exercises 1"
NAME, LAST = "progress.json", "progress.last.json"


class DamagedError(Exception):
    """The progress file is not one of ours."""


@dataclass
class Progress:
    """What was passed: for each exercise whether its last check passed, and when first."""

    language: str = ""
    passed: dict[str, bool] = field(default_factory=dict)
    first_passed: dict[str, str] = field(default_factory=dict)  # ISO 8601, UTC

    def record(self, name: str, passed: bool) -> None:
        """Note the outcome of a check."""
        self.passed[name] = passed
        if passed:
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self.first_passed.setdefault(name, now)


class Store:
    """The progress in a folder; made, empty, by `create`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file, self.last = folder / NAME, folder / LAST

    def read(self) -> Progress:
        """The progress, from the last good file where the newest is missing.

        Raises DamagedError where there is a file that is not one of ours.
        """
        for file in (self.file, self.last):
            try:
                return _decode(file.read_bytes())
            except FileNotFoundError:
                continue
            except IsADirectoryError as error:
                raise DamagedError from error
        return Progress()

    def set_aside(self) -> tuple[Path, Progress]:
        """Move a damaged file out of the way; where it is now, and the last good one."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        aside = free_name(self.folder / f"progress.damaged-{stamp}.json")
        (self.file if self.file.exists() else self.last).replace(aside)
        with contextlib.suppress(OSError, DamagedError):
            return aside, _decode(self.last.read_bytes())
        self.last.unlink(missing_ok=True)
        return aside, Progress()

    def write(self, progress: Progress) -> None:
        """Replace the file. Raises OSError, with the old one in its place, where that fails."""
        new = self.folder / f"progress.{os.getpid()}.tmp"
        try:
            with new.open("wb") as file:
                file.write(_encode(progress))
                file.flush()
                os.fsync(file.fileno())
            if self.file.exists():
                self.file.replace(self.last)
            new.replace(self.file)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    @contextlib.contextmanager
    def changed(self) -> Iterator[Progress]:
        """The progress as it stands, to be changed and written; others wait meanwhile."""
        with _locked(self.folder / "lock"):
            progress = self.read()
            yield progress
            self.write(progress)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Between two terminals of one learner; where the file system has no locks, without."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with path.open("ab") as file:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def free_name(path: Path) -> Path:
    """The path, or one with a number behind it that nothing has yet."""
    taken, number = path, 1
    while taken.exists() or taken.is_symlink():
        taken, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return taken


def _encode(progress: Progress) -> bytes:
    data = {"format": FORMAT, "language": progress.language, "passed": progress.passed,
            "first_passed": progress.first_passed}  # fmt: skip
    return json.dumps(data, ensure_ascii=True, indent=1).encode() + b"\n"


def _decode(data: bytes) -> Progress:
    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamagedError from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DamagedError
    passed, first = found.get("passed"), found.get("first_passed")
    language = found.get("language")
    if (
        not isinstance(language, str)
        or not isinstance(passed, dict)
        or not isinstance(first, dict)
        or not all(isinstance(value, bool) for value in passed.values())
        or not all(isinstance(value, str) for value in first.values())
    ):
        raise DamagedError
    return Progress(language, passed, first)
