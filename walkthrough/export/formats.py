"""The formats that a recorded lesson can be put into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.display.screen import DEFAULT_WIDTH

if TYPE_CHECKING:
    from walkthrough.export.page import Course
    from walkthrough.lesson.reading import Lesson
    from walkthrough.lesson.recording import RecordedStep

ENDINGS = {"html": ".html", "ipynb": ".ipynb", "md": ".handout.md"}
NEEDS = {"html": "jinja2", "ipynb": "nbformat"}  # packages


def exported(
    form: str,
    lesson: Lesson,
    steps: list[RecordedStep],
    course: Course,
    *,
    width: int = DEFAULT_WIDTH,
    example: str | None = None,
) -> str:
    """The text of a file; `example` is the file with the teacher's own, `width` a handout's."""
    if form == "html":
        from walkthrough.export.page import page
        from walkthrough.lesson.block_size import other_sizes

        return page(lesson, steps, course, other_sizes(lesson, steps, course.precision))
    note, precision = course.note, course.precision
    if form == "ipynb":
        from walkthrough.export.notebook import notebook

        toml = "" if example is None else Path(example).read_text(encoding="utf-8-sig")
        return notebook(steps, course.language, precision=precision, note=note, example=toml)
    from walkthrough.export.handout import handout

    return handout(steps, width=width, precision=precision, note=note)


def paths(chosen: Sequence[Lesson], form: str, output: str | None, language: str) -> list[Path]:
    """A path for each lesson; several are in one folder, which may not be there yet."""
    ending = ENDINGS[form]
    if len(chosen) == 1:
        name = Path(chosen[0].name + ending)
        if output is None:
            return [name]
        path = Path(output)
        return [path / name if path.is_dir() or output.endswith(("/", "\\")) else path]
    folder = Path(output or f"walkthrough-{language}")
    return [folder / (lesson.name + ending) for lesson in chosen]
