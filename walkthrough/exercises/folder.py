"""The folder of a learner: his files, one an exercise, and what is remembered about them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from walkthrough.exercises.editor import write_tasks
from walkthrough.exercises.find import Exercise, ExerciseError
from walkthrough.exercises.notebook import notebook_of
from walkthrough.exercises.progress import NAME, Progress, Store, free_name
from walkthrough.files import write_whole
from walkthrough.reasons import Reason

DEFAULT = "exercises"
INSIDE = ".walkthrough"  # what is remembered, inside the learner's folder


@dataclass(frozen=True)
class Folder:
    """A folder that `init` has filled."""

    path: Path

    @property
    def store(self) -> Store:
        """Where its progress is."""
        return Store(self.path / INSIDE)

    def file(self, exercise: Exercise) -> Path:
        """The learner's file of an exercise: Python, or a notebook where there is that alone."""
        file = self.path / f"{exercise.name}.py"
        notebook = file.with_suffix(".ipynb")
        return notebook if notebook.exists() and not file.exists() else file

    def init(
        self, exercises: list[Exercise], language: str, suffix: str = ".py"
    ) -> tuple[int, int]:
        """Write the files that are not there yet; how many were written, and how many left.

        A file that is there, whatever it holds, stays as it is, and so does who works in the
        other kind: with `suffix` ".ipynb" notebooks are written.
        """
        inside = self.path / INSIDE
        try:
            inside.mkdir(parents=True, exist_ok=True)
            missing = [e for e in exercises if not os.path.lexists(self.file(e))]
            for exercise in missing:
                file = self.path / f"{exercise.name}{suffix}"
                write_whole(file, _at_first(exercise, file), new=True)
            if not (inside / NAME).exists():
                self.store.write(Progress(language=language))
        except OSError as error:
            raise ExerciseError("unwritable", folder=self.path, reason=Reason(error)) from error
        return len(missing), len(exercises) - len(missing)

    def add_tasks(self, command: str) -> tuple[Path, bool]:
        """VS Code's file of tasks, and whether it was written: one that is there stays."""
        try:
            return write_tasks(self.path, command)
        except OSError as error:
            raise ExerciseError("unwritable", folder=self.path, reason=Reason(error)) from error

    def reset(self, exercise: Exercise) -> Path | None:
        """Put the stub back; where the learner's version is kept, None where there was none."""
        file, backup = self.file(exercise), None
        try:
            if file.exists() and not file.is_file():  # a pipe would be waited for
                raise ExerciseError("not a file", file=file)
            if file.exists():
                stamp = time.strftime("%Y%m%d-%H%M%S")
                backups = self.path / INSIDE / "backups"
                backups.mkdir(exist_ok=True)
                backup = free_name(backups / f"{exercise.name}.{stamp}{file.suffix}")
                write_whole(backup, file.read_bytes(), new=True)
            write_whole(file, _at_first(exercise, file))
        except OSError as error:
            raise ExerciseError("unwritable", folder=self.path, reason=Reason(error)) from error
        return backup


def _at_first(exercise: Exercise, file: Path) -> str | bytes:
    return notebook_of(exercise) if file.suffix == ".ipynb" else exercise.stub.read_bytes()


def locate(given: str | None) -> Folder:
    """The learner's folder: as given, or here, or above, or in `exercises` below.

    Raises ExerciseError where `init` has not been run.
    """
    if given is not None:
        if (Path(given) / INSIDE).is_dir():
            return Folder(Path(given))
        raise ExerciseError("no-folder", usage=True, folder=given)
    here = Path.cwd()
    for path in (here, here / DEFAULT, *here.parents):
        if (path / INSIDE).is_dir():
            return Folder(path)
    raise ExerciseError("no-folder", usage=True, folder=here)
