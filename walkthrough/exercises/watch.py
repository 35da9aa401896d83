"""Noticing that files were saved, by looking at them: the same on every system and mount."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

Signature = tuple[object, ...] | None


def stamp(path: Path) -> Signature:
    """What changes when a file is saved, in place or by renaming another over it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def content(path: Path) -> Signature:
    """What a file holds: for mounted folders whose time stamps are late or coarse."""
    try:
        if not path.is_file():  # a pipe would be waited for
            return None
        with path.open("rb") as file:
            return (hashlib.file_digest(file, "sha256").digest(),)
    except OSError:
        return None


class Watch:
    """Files that are looked at again and again; `read_them` compares what they hold."""

    def __init__(self, paths: Iterable[Path], read_them: bool = False) -> None:
        self._look = content if read_them else stamp
        self._seen = {path: self._look(path) for path in paths}
        self._last = dict(self._seen)

    def saved(self) -> list[Path]:
        """Files that changed, and then stayed as they are for one look: saved, not being saved.

        One that is gone has changed as well; where an editor puts another in its place, it comes
        back before the next look.
        """
        settled = []
        for path, last in self._last.items():
            now = self._last[path] = self._look(path)
            if now == last and now != self._seen[path]:
                self._seen[path] = now
                settled.append(path)
        return settled
