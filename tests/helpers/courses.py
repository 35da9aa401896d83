"""The lessons of the course that run in seconds, and what is recorded of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from walkthrough.lesson.reading import Lesson, find_lessons
from walkthrough.lesson.recording import RecordedStep, record

LANGUAGES = ("ko", "en")


def course_lessons(language: str) -> list[Lesson]:
    """Those that take seconds: not the ones that run a real model."""
    return [lesson for lesson in find_lessons(language) if "model" not in lesson.needs]


def walk(lessons: list[Lesson]) -> list[Any]:
    """Each lesson as a parameter; a room's own run has one of the text's and one with blocks."""
    return [
        pytest.param(lesson, marks=() if lesson.number in (5, 12) else pytest.mark.slow)
        for lesson in lessons
    ]


@cache
def recorded_lesson(lesson: Lesson) -> list[RecordedStep]:
    """Its steps, for all tests that only look at them."""
    return record(lesson)


@cache
def recorded(language: str) -> list[tuple[Lesson, list[RecordedStep]]]:
    """Every lesson of a language with its steps."""
    return [(lesson, recorded_lesson(lesson)) for lesson in course_lessons(language)]
