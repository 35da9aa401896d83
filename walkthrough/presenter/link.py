"""How a second terminal follows the presenter: a small file that says where he or she stands.

It lies in the user's own runtime or cache folder, is replaced as a whole at every change and
once a second, and is gone when the presentation ends; one that has grown old tells the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from walkthrough.files import write_whole
from walkthrough.installation import lessons_folder
from walkthrough.lesson.reading import Lesson

STALE = 5.0  # seconds without a sign of life


@dataclass(frozen=True)
class TeachersPlace:
    """Where the presenter stands. Times are seconds since the epoch."""

    slide: int
    piece: int
    pieces: int  # of this slide
    started: float
    entered: float  # this slide
    seen: float = 0.0  # the last sign of life


def place_file(lesson: Lesson) -> Path:
    """The file for a lesson; a lesson of the course has one for all its languages."""
    path = lesson.path.resolve()
    key = lesson.name
    if not path.is_relative_to(lessons_folder().resolve()):
        key += "-" + hashlib.sha256(str(path).encode()).hexdigest()[:12]
    return _folder() / f"present-{key}.json"


def _folder() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        return Path(runtime) / "walkthrough"
    cache = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "walkthrough"


def tell(path: Path, place: TeachersPlace) -> None:
    """Say where the presenter stands. Raises OSError where that cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(asdict(place) | {"seen": time.time()}))


def look(path: Path) -> TeachersPlace | None:
    """Where the presenter stands; None where nobody presents."""
    try:
        place = TeachersPlace(**json.loads(path.read_text(encoding="utf-8")))
        return place if time.time() - place.seen <= STALE else None
    except (OSError, ValueError, TypeError):
        return None


def leave(path: Path) -> None:
    """The presentation has ended."""
    with contextlib.suppress(OSError):
        path.unlink()
