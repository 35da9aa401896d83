"""Where a learner is: lessons read and exercises passed, kept together in his folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from walkthrough.course.way import Stage, find_way
from walkthrough.exercises.find import Exercise, ExerciseError
from walkthrough.exercises.folder import Folder, locate
from walkthrough.exercises.progress import DamagedError, Progress
from walkthrough.lesson.reading import Lesson


@dataclass(frozen=True)
class Standing:
    """The way, and what of it is done."""

    way: list[Stage]
    progress: Progress
    folder: Folder | None = None  # None: `init` has not been run
    damaged: bool = False  # the progress file cannot be read

    def has_read(self, lesson: Lesson) -> bool:
        """Whether a lesson has been read to its end."""
        return lesson.name in self.progress.read

    def has_passed(self, exercise: Exercise) -> bool:
        """Whether an exercise's last check passed."""
        return bool(self.progress.passed.get(exercise.name))

    @property
    def exercises(self) -> list[Exercise]:
        """All of the way, in its order."""
        return [exercise for stage in self.way for exercise in stage.exercises]

    def left(self) -> Iterator[tuple[Stage, Exercise | None]]:
        """What is left to do, in order: a stage's lesson (None), then its exercises."""
        for stage in self.way:
            if not self.has_read(stage.lesson) and not any(map(self.has_passed, stage.exercises)):
                yield stage, None
            for exercise in stage.exercises:
                if not self.has_passed(exercise):
                    yield stage, exercise


def find_standing(language: str, given: str | None = None) -> Standing:
    """Where the learner of this folder is. Raises ExerciseError where `given` is no folder."""
    way = find_way(language)
    try:
        folder = locate(given)
    except ExerciseError:
        if given is not None:
            raise
        return Standing(way, Progress())
    try:
        return Standing(way, folder.store.read(), folder)
    except (DamagedError, OSError):
        return Standing(way, Progress(), folder, damaged=True)


def note_read(lesson: Lesson) -> None:
    """Remember that a lesson was read to its end, where there is a folder to remember it in.

    Reading goes before remembering: what cannot be written is not worth an error here.
    """
    with contextlib.suppress(ExerciseError, DamagedError, OSError):
        store = locate(None).store
        if lesson.name not in store.read().read:
            with store.changed() as progress:
                progress.record_read(lesson.name)
