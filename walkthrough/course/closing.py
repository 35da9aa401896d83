"""The end of a lesson: its exercises, and the lesson that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.course.way import find_way, stage_and_following
from walkthrough.course.words import COURSE
from walkthrough.lesson.reading import Lesson, Prose

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.exercises.find import Exercise
    from walkthrough.lesson.recording import RecordedStep


def closing(lesson: Lesson, language: str, command: str = "walkthrough") -> str:
    """Markdown, without its heading; empty for a lesson that is not one of the course.

    command: how the program is called where this is read.
    """
    words = COURSE[language]
    stage, following = stage_and_following(find_way(language), lesson)
    if stage is None:
        return ""
    parts = []
    if stage.exercises:
        many = len(stage.exercises) > 1
        which = lesson.number if many else stage.exercises[0].name
        parts.append(words["practise" if many else "practise.one"])
        parts.append("\n".join("- " + described(e, language) for e in stage.exercises))
        parts.append(_typed(f"{command} exercise check {which}"))
    if following is not None:
        title, number = following.lesson.title, following.lesson.number
        fields = {"number": number, "title": title, "minutes": following.minutes}
        parts.append(words["following"].format(**fields))
        parts.append(_typed(f"{command} run {number}"))
    else:
        parts.append(words["last"])
        parts.append(_typed(f"{command} progress"))
    return "\n\n".join(parts)


def _typed(command: str) -> str:
    """What is to be typed, on a line of its own, to be copied whole."""
    return f"```sh\n{command}\n```"


def described(exercise: Exercise, language: str) -> str:
    """An exercise in a line of Markdown: name, title, how hard, how long."""
    words = COURSE[language]
    return words["exercise"].format(
        name=exercise.name,
        title=exercise.title,
        difficulty=words[f"difficulty.{exercise.difficulty}"],
        minutes=exercise.minutes,
    )


def with_closing(steps: list[RecordedStep], lesson: Lesson, language: str) -> list[RecordedStep]:
    """A recorded lesson with one step more, which says what to practise and what comes next."""
    text = closing(lesson, language)
    if not text:
        return steps
    from walkthrough.lesson.recording import RecordedStep  # `run` records nothing

    heading = COURSE[language]["closing"]
    return [*steps, RecordedStep(heading, [Prose(f"## {heading}\n\n{text}")])]


def show_closing(lesson: Lesson, screen: Screen, language: str) -> None:
    """Below a lesson of the course, what to practise and what comes next; and remember it."""
    from walkthrough.course.standing import note_read
    from walkthrough.installation import program

    if text := closing(lesson, language, program()):
        screen.text()
        screen.prose(f"## {COURSE[language]['closing']}\n\n{text}")
        screen.flush()
        note_read(lesson)
