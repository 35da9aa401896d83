"""The way through the course: a stage for each lesson, with the exercises that practise it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from walkthrough.course.words import COURSE_PARTS
from walkthrough.exercises.find import Exercise, find_exercises
from walkthrough.lesson.reading import NOTES, Lesson, find_lessons

READING_ALONE = 10  # minutes for a lesson whose notes give none


@dataclass(frozen=True)
class Stage:
    """A lesson and its exercises."""

    lesson: Lesson
    exercises: tuple[Exercise, ...]

    @cached_property
    def minutes(self) -> int:
        """What the teacher's notes to the lesson's steps add up to."""
        noted = (float(note[1] or 0) for note in NOTES.finditer(self.lesson.text))
        return round(sum(noted)) or READING_ALONE


def find_way(language: str) -> list[Stage]:
    """All stages in order. An exercise that stands on several lessons follows the last of them."""
    exercises = find_exercises(language)
    return [
        Stage(lesson, tuple(e for e in exercises if e.lessons[-1] == lesson.number))
        for lesson in find_lessons(language)
    ]


def stage_and_following(way: Sequence[Stage], lesson: Lesson) -> tuple[Stage | None, Stage | None]:
    """The lesson's stage and the one behind it; None where there is none."""
    for place, stage in enumerate(way):
        if stage.lesson == lesson:
            return stage, way[place + 1] if place + 1 < len(way) else None
    return None, None


def course_part(lesson: Lesson, language: str) -> str:
    """The name of the part of the course that a lesson belongs to."""
    number = lesson.number or 0
    first = max((first for first in COURSE_PARTS if first <= number), default=0)
    return COURSE_PARTS[first][language] if first else ""
