"""The pages of the whole course, made once a language."""

from __future__ import annotations

from functools import lru_cache

from helpers.courses import LANGUAGES, course_lessons, recorded

from walkthrough.export.page import Course, index, page


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
