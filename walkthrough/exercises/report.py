"""Results, lists and hints, put on a screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from walkthrough.display.screen import Screen
from walkthrough.display.table import pad
from walkthrough.exercises.checking.process import CheckResult
from walkthrough.exercises.checking.worker import read_source
from walkthrough.exercises.desk import Desk
from walkthrough.exercises.find import Exercise, definitions
from walkthrough.exercises.folder import Folder
from walkthrough.exercises.words import FINDINGS, WORDS
from walkthrough.reasons import Reason

LINES = 12  # of what the learner's code printed


def wrapped(screen: Screen, text: str, width: int) -> list[str]:
    """Text that the screen can show, broken between words into lines of that many cells."""
    from rich.text import Text

    lines = Text(screen.charset.readable(text)).wrap(screen.console, max(10, width))
    return [line.plain.rstrip() for line in lines]


def paragraph(screen: Screen, text: str, style: str = "", indent: str = "") -> None:
    """Plain text, broken between words where it is wider than the screen."""
    for line in wrapped(screen, text, screen.width - len(indent)):
        screen.lines([[(indent + line, style)]])


def sentence(result: CheckResult, language: str) -> str:
    """What a check found, in a sentence."""
    fields = dict(result.fields)
    if result.kind == "unreadable":  # came from another process as text
        fields["reason"] = Reason(fields["reason"])
    return FINDINGS[language][result.kind].format(**fields)


def state(desk: Desk, folder: Folder, exercise: Exercise) -> str:
    """How an exercise stands: passed, pending, or missing where its file is."""
    if not folder.file(exercise).exists():
        return "missing"
    return "passed" if desk.progress.passed.get(exercise.name) else "pending"


def show_result(
    screen: Screen, result: CheckResult, language: str, file: Path | None = None
) -> None:
    """What a check found: the sentence, the learner's lines, what his code printed, the note.

    Before the sentence stands where it is, as editors understand it (file:line:).
    """
    words = WORDS[language]
    style = "label" if result.passed else "bad"
    at, place = None if file is None or result.passed else line_of(result, file), ""
    if file is not None and at is not None:
        place = f"{near(file)}:{at}: "
    paragraph(screen, place + sentence(result, language), style)
    for line, text in _places(result, words):
        if place and not text:  # it has been said
            continue
        paragraph(screen, line, "rule", "  ")
        if text:
            screen.lines([[("    " + screen.charset.readable(text.strip()), "code")]])
    if result.output.strip():
        lines = result.output.rstrip("\n").split("\n")
        screen.text()
        screen.text(words["printed"] + ":", "rule")
        for text in lines[:LINES]:
            screen.text("  " + text[:500])
        if len(lines) > LINES:
            screen.text("  " + words["printed more"].format(shown=LINES), "rule")
    if result.passed:
        if result.shown:
            screen.text()
            for text in result.shown.rstrip("\n").split("\n"):
                screen.text(text)
        screen.text()
        screen.prose(result.exercise.note)


def line_of(result: CheckResult, file: Path) -> int | None:
    """The line of a learner's file that a finding is about; None where there is no such file.

    Of an error the innermost line; of a wrong result the beginning of the function whose it is.
    """
    if result.frames:
        return int(result.frames[-1]["line"])
    if line := result.fields.get("line"):
        return int(line)
    try:
        found = definitions(read_source(file))
    except Exception:  # what is wrong with the file is what the sentence says
        return 1 if file.exists() else None
    name = re.match(r"[A-Za-z_]\w*", str(result.fields.get("place", "")))
    node = found.get(name[0]) if name else None
    first = next(iter(found.values()), None)
    return int(getattr(node or first, "lineno", 1))


def _places(result: CheckResult, words: dict[str, str]) -> list[tuple[str, str]]:
    """Where in the learner's file it was: (which line, its text)."""
    if result.frames:
        return [
            (words["line in"].format(**frame), frame["text"])
            if frame["function"] != "<module>"
            else (words["line"].format(**frame), frame["text"])
            for frame in result.frames
        ]
    if result.fields.get("line") and result.kind != "encoding":
        return [(words["line"].format(**result.fields), result.fields.get("text", ""))]
    return []


def show_exercises(desk: Desk, folder: Folder, current: Exercise) -> None:
    """A line an exercise: its name, state and title."""
    screen, words = desk.screen, WORDS[desk.language] | {"pending": ""}
    states = [state(desk, folder, exercise) for exercise in desk.exercises]
    width = max(len(exercise.name) for exercise in desk.exercises)
    widest = max(cell_len(screen.charset.readable(words[name])) for name in {"passed", *states})
    for exercise, name in zip(desk.exercises, states, strict=True):
        mark = ">" if exercise == current else " "
        style = {"passed": "label", "missing": "bad"}.get(name, "rule")
        said = pad(screen.charset.readable(words[name]), widest)
        before = width + widest + 6
        title, *more = wrapped(screen, exercise.title, screen.width - before)
        head = f"{mark} {pad(exercise.name, width)}  "
        screen.lines([[(head, "code"), (f"{said}  ", style), (title, "")]])
        screen.lines([[(" " * before + line, "")] for line in more])


def show_progress(desk: Desk) -> None:
    """How many are passed."""
    passed = sum(bool(desk.progress.passed.get(exercise.name)) for exercise in desk.exercises)
    text = desk.words["progress"].format(passed=passed, total=len(desk.exercises))
    done = passed == len(desk.exercises)
    desk.screen.text(f"{text}. {desk.words['all']}" if done else text, "label" if done else "rule")


def show_head(screen: Screen, exercise: Exercise, folder: Folder, language: str) -> None:
    """Which exercise it is, where its file is, what to read first."""
    words = WORDS[language]
    title = screen.charset.readable(f"{exercise.name}  {exercise.title}")
    screen.lines([[(title, "title")]])
    lessons = " ".join(map(str, exercise.lessons))
    paragraph(screen, words["read"].format(lessons=lessons), "rule")
    paragraph(screen, words["file"].format(file=near(folder.file(exercise))), "rule")


def near(path: Path) -> Path:
    """The path as seen from the present folder, where it lies inside."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def show_hint(screen: Screen, exercise: Exercise, number: int, language: str) -> None:
    """A hint, by its number from 1."""
    words = WORDS[language]
    heading = words["hint"].format(number=number, total=len(exercise.hints))
    screen.text(heading, "title")
    screen.prose(exercise.hints[number - 1])


def as_data(result: CheckResult, language: str) -> dict[str, Any]:
    """A result for programs."""
    return {
        "name": result.exercise.name,
        "lessons": result.exercise.lessons,
        "passed": result.passed,
        "kind": result.kind,
        "message": sentence(result, language),
        "lines": [frame["line"] for frame in result.frames]
        or [line for line in [result.fields.get("line")] if line],
        "seconds": round(result.seconds, 3),
    }
