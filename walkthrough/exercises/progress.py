"""What a learner has read and passed, in a file that no crash and no full disk can lose.

It is replaced as a whole, and the one before is kept beside it as the last good one. A file that
is damaged, or another program's, is set aside; so is one that a power cut has left empty. Two
terminals read it anew before each change; where both change it in the same instant one of the
outcomes is lost, and comes back with the next check.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from walkthrough.files import write_whole

FORMAT = "walkthrough exercises 1"
NAME, LAST = "progress.json", "progress.last.json"
LARGEST_PROGRESS = 1_000_000  # bytes; what was passed takes a few thousand
_Value = TypeVar("_Value")


class DamagedError(Exception):
    """The progress file is not one of ours."""


@dataclass
class Progress:
    """What was passed: for each exercise whether its last check passed, and when first.

    And which lessons were read to their end, when first.
    """

    language: str = ""
    passed: dict[str, bool] = field(default_factory=dict)
    first_passed: dict[str, str] = field(default_factory=dict)  # ISO 8601, UTC
    read: dict[str, str] = field(default_factory=dict)  # the same of lessons

    def record(self, name: str, passed: bool) -> None:
        """Note the outcome of a check."""
        self.passed[name] = passed
        if passed:
            self.first_passed.setdefault(name, _now())

    def record_read(self, lesson: str) -> None:
        """Note that a lesson was read to its end."""
        self.read.setdefault(lesson, _now())


class Store:
    """The progress in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file, self.last = folder / NAME, folder / LAST

    def read(self) -> Progress:
        """The progress, from the last good file where the newest is missing.

        Raises DamagedError where there is a file that is not one of ours.
        """
        for file in (self.file, self.last):
            if not file.exists():
                continue
            if not file.is_file() or file.stat().st_size > LARGEST_PROGRESS:
                raise DamagedError  # a folder or a pipe has its name, or it is not ours
            try:
                return _decode(file.read_bytes())
            except FileNotFoundError:
                continue
        return Progress()

    def set_aside(self) -> tuple[Path, Progress]:
        """Move a damaged file out of the way; where it is now, and the last good one."""
        stamp = time.strftime("%Y%m%d-%H%M%S")
        aside = free_name(self.folder / f"progress.damaged-{stamp}.json")
        (self.file if self.file.exists() else self.last).replace(aside)
        with contextlib.suppress(OSError, DamagedError):
            if self.last.is_file() and self.last.stat().st_size <= LARGEST_PROGRESS:
                return aside, _decode(self.last.read_bytes())
        self.last.unlink(missing_ok=True)
        return aside, Progress()

    def write(self, progress: Progress) -> None:
        """Replace the file. Raises OSError, with the old one in its place, where that fails."""
        import json  # slow to import, and looking for a folder needs none

        text = json.dumps({"format": FORMAT} | asdict(progress), ensure_ascii=True, indent=1)
        if self.file.exists():
            write_whole(self.last, self.file.read_bytes())
        write_whole(self.file, text + "\n")

    @contextlib.contextmanager
    def changed(self) -> Iterator[Progress]:
        """The progress as it stands, to be changed and written."""
        progress = self.read()
        yield progress
        self.write(progress)


def free_name(path: Path) -> Path:
    """The path, or one with a number behind it that nothing has yet."""
    taken, number = path, 1
    while taken.exists() or taken.is_symlink():
        taken, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return taken


def _decode(data: bytes) -> Progress:
    import json

    try:
        found: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DamagedError from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DamagedError
    language, passed, first = found.get("language"), found.get("passed"), found.get("first_passed")
    read = found.get("read", {})  # files of earlier versions do not know it
    if not isinstance(language, str) or not _holds(passed, bool) or not _holds(first, str):
        raise DamagedError
    if not _holds(read, str):
        raise DamagedError
    return Progress(language, passed, first, read)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _holds(found: Any, kind: type[_Value]) -> TypeGuard[dict[str, _Value]]:
    """Whether it is a dictionary of values of this kind."""
    return isinstance(found, dict) and all(isinstance(value, kind) for value in found.values())
