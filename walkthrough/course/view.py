"""Where a learner is, on a screen: the next thing to do, and the whole way as a picture."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from walkthrough.course.standing import Standing, find_standing
from walkthrough.course.summary import done
from walkthrough.course.way import Stage, course_part
from walkthrough.course.words import COURSE
from walkthrough.display.screen import Screen
from walkthrough.display.table import pad
from walkthrough.exercises.find import Exercise
from walkthrough.exercises.report import paragraph, wrapped
from walkthrough.installation import program

MARKS = ("●", "○", "■", "□")  # lesson read and not, exercise passed and not
PLAIN_MARKS = ("@", "o", "#", ".")
BAR_CELLS = 24  # cells of the longest bar


def show_where(screen: Screen, language: str) -> None:
    """The next thing to do, for who has a folder of exercises; else nothing."""
    standing = find_standing(language)
    if standing.folder is not None:
        show_next(standing, screen, language)
        screen.text()


def show_next(standing: Standing, screen: Screen, language: str) -> None:
    """How much is done; what comes, how long it takes, and what to type."""
    words = COURSE[language]
    paragraph(screen, done(standing, language), "rule")
    if standing.damaged:
        _suggest(screen, words["damaged"], "exercise check")
        return
    left = next(standing.left(), None)
    if left is None:
        paragraph(screen, words["all"], "label")
    else:
        stage, exercise = left
        _show_one(stage, exercise, screen, language)
    if standing.folder is None:
        screen.text()
        _suggest(screen, words["no folder"], f"exercise init --lang {language}")


def _show_one(stage: Stage, exercise: Exercise | None, screen: Screen, language: str) -> None:
    words = COURSE[language]
    if exercise is None:
        lesson = stage.lesson
        said = words["next.lesson"].format(
            number=lesson.number, title=lesson.title, minutes=stage.minutes
        )
        _suggest(screen, said, f"run {lesson.number}")
        return
    said = words["next.exercise"].format(
        title=exercise.title,
        difficulty=words[f"difficulty.{exercise.difficulty}"],
        minutes=exercise.minutes,
    )
    _suggest(screen, said, f"exercise check {exercise.name}")


def _suggest(screen: Screen, sentence: str, command: str) -> None:
    paragraph(screen, sentence)
    screen.text(f"  {program()} {command}", "code")


def show_way(standing: Standing, screen: Screen, language: str) -> None:
    """A bar of all that is done, then a line for each lesson with a mark for each exercise."""
    words = COURSE[language]
    marks = MARKS if screen.charset.encodes("".join(MARKS)) else PLAIN_MARKS
    exercises = standing.exercises
    share = (
        sum(standing.has_read(stage.lesson) for stage in standing.way)
        + sum(map(standing.has_passed, exercises))
    ) / (len(standing.way) + len(exercises))
    filled = int(share * BAR_CELLS)
    bar = [(marks[2] * filled, "label"), (marks[3] * (BAR_CELLS - filled), "rule")]
    screen.lines([[*bar, ("  " + screen.charset.readable(f"{share:.0%}"), "")]])
    part = ""
    for stage in standing.way:
        if (name := course_part(stage.lesson, language)) != part:
            part = name
            screen.text()
            screen.text(name, "title")
        _show_stage(stage, standing, screen, marks)
    screen.text()
    names = dict(zip(("read", "unread", "passed", "pending"), marks, strict=True))
    paragraph(screen, words["legend"].format(**names), "rule")
    screen.text()
    show_next(standing, screen, language)


def _show_stage(stage: Stage, standing: Standing, screen: Screen, marks: Sequence[str]) -> None:
    """`● 10  title …  ■■□`: the marks of exercises stand in one column where there is room."""
    read = standing.has_read(stage.lesson)
    passed = [standing.has_passed(exercise) for exercise in stage.exercises]
    column = min(screen.width - 5, 56)  # where the exercises' marks begin
    head = f"{marks[0] if read else marks[1]} {stage.lesson.number:>2}  "
    title, *more = wrapped(screen, stage.lesson.title, column - cell_len(head) - 2)
    screen.lines(
        [
            [
                (head, "label" if read else "rule"),
                (pad(title, column - cell_len(head)), ""),
                ("".join(marks[2] if done else marks[3] for done in passed), "code"),
            ],
            *([(" " * cell_len(head) + line, "")] for line in more),
        ]
    )
