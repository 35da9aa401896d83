"""What a learner has done, for a teacher: as Markdown, and as JSON for a program."""

from __future__ import annotations

import json
import time

from walkthrough.course.standing import Standing
from walkthrough.course.words import COURSE

VERSION = 1


def as_markdown(standing: Standing, language: str, name: str = "") -> str:
    """A heading, how much is done, and a row for each lesson."""
    words = COURSE[language]
    today = time.strftime("%Y-%m-%d")
    lines = [f"# {words['summary']}", ""]
    if name:
        lines += [words["summary.name"].format(name=_cell(name)), ""]
    lines += [words["summary.date"].format(date=today), "", done(standing, language), ""]
    heads = [words[f"column.{column}"] for column in ("lesson", "read", "exercises")]
    lines += ["| " + " | ".join(heads) + " |", "|---|---|---|"]
    for stage in standing.way:
        lesson = f"{stage.lesson.number}. {stage.lesson.title}"
        read = standing.progress.read.get(stage.lesson.name, "")[:10]
        passed = [
            f"{exercise.title} ({standing.progress.first_passed.get(exercise.name, '')[:10]})"
            for exercise in stage.exercises
            if standing.has_passed(exercise)
        ]
        lines.append("| " + " | ".join(map(_cell, (lesson, read, ", ".join(passed)))) + " |")
    return "\n".join(lines) + "\n"


def done(standing: Standing, language: str) -> str:
    """How many lessons and exercises are done, of how many."""
    exercises = standing.exercises
    return COURSE[language]["done"].format(
        read=sum(standing.has_read(stage.lesson) for stage in standing.way),
        lessons=len(standing.way),
        passed=sum(map(standing.has_passed, exercises)),
        exercises=len(exercises),
    )


def as_json(standing: Standing, name: str = "") -> str:
    """The same for a program; times are ISO 8601 in UTC, null where something is not done."""
    progress = standing.progress
    lessons = [
        {
            "number": stage.lesson.number,
            "name": stage.lesson.name,
            "minutes": stage.minutes,
            "read": progress.read.get(stage.lesson.name),
            "exercises": [
                {
                    "name": exercise.name,
                    "minutes": exercise.minutes,
                    "difficulty": exercise.difficulty,
                    "passed": standing.has_passed(exercise),
                    "first_passed": progress.first_passed.get(exercise.name),
                }
                for exercise in stage.exercises
            ],
        }
        for stage in standing.way
    ]
    data = {"version": VERSION, "learner": name, "date": time.strftime("%Y-%m-%d")}
    return json.dumps(data | {"lessons": lessons}, ensure_ascii=True, indent=2) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
