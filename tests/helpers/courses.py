"""The lessons as the export's tests use them: recorded once a language."""

from __future__ import annotations

from functools import lru_cache

from walkthrough.export.page import Course, index, page
from walkthrough.lesson.reading import Lesson, find_lessons
from walkthrough.lesson.recording import RecordedStep, record

LANGUAGES = ("ko", "en")


def course_lessons(language: str) -> list[Lesson]:
    """Those that take seconds: not the ones that run a real model."""
    return [lesson for lesson in find_lessons(language) if "model" not in lesson.needs]


@lru_cache(maxsize=4)
def recorded(language: str) -> list[tuple[Lesson, list[RecordedStep]]]:
    """Every lesson of a language with its steps."""
    return [(lesson, record(lesson)) for lesson in course_lessons(language)]


@lru_cache(maxsize=4)
def pages(language: str) -> dict[str, str]:
    """The HTML of a whole course by file name."""
    course = Course(tuple(course_lessons(language)), language, 4)
    made = {
        f"{lesson.name}.html": page(lesson, steps, course) for lesson, steps in recorded(language)
    }
    return made | {"index.html": index(course)}


ALL_PAGES = [
    (language, f"{name}.html")
    for language in LANGUAGES
    for name in [*(lesson.name for lesson in course_lessons(language)), "index"]
]
