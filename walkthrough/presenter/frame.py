"""What stands around a lesson on the screen: the bar above, the line below, notes, the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len, chop_cells

from walkthrough.display.table import Line, pad
from walkthrough.lesson.reading import Lesson, Notes
from walkthrough.presenter.clock import clock, planned
from walkthrough.presenter.slides import Position, Slide
from walkthrough.presenter.view import Segments, View, prose, styled
from walkthrough.presenter.words import KEYS, WORDS

Readable = Callable[[str], str]


def lesson_title(lesson: Lesson) -> str:
    """The lesson's title behind its number, if it has one."""
    return lesson.title if lesson.number is None else f"{lesson.number}. {lesson.title}"


def head(
    title: str, slides: Sequence[Slide], at: Position, width: int, view: View
) -> list[Segments]:
    """A bar with the lesson at its left end, which is cut where it must, and the step."""
    words = WORDS[view.language]
    step = words["step"].format(step=at.slide + 1, steps=len(slides))
    right = view.readable(f"{step} {slides[at.slide].title if at.slide else ''}".rstrip())
    left = view.readable(title)
    while cell_len(left) + cell_len(right) > max(4, width - 4):
        left, right = (left[:-1], right) if left else ("", right[:-1])
    space = " " * (width - 2 - cell_len(left) - cell_len(right))
    return styled([[(f" {left}{space}{right} ", "bar")]])


def foot(slides: Sequence[Slide], at: Position, seconds: float, view: View) -> list[Segments]:
    """How far the lesson is, and the time."""
    words = WORDS[view.language]
    spent = clock(seconds)
    if minutes := planned(slides):
        spent = words["minutes"].format(spent=spent, planned=f"{minutes:g}")
    right = view.readable(f"   {spent}   {words['hint']}")
    room = view.width - cell_len(right)
    pieces = [len(slide.pieces) for slide in slides]
    behind = sum(pieces[: at.slide]) + at.piece
    done = round(room * behind / max(1, sum(pieces) - 1))
    dash = view.readable("─")
    return styled([[(dash * done, "title"), (dash * (room - done), "rule"), (right, "")]])


def message(text: str, width: int, readable: Readable) -> list[Segments]:
    """A sentence, on as many lines as it needs."""
    return styled([[(line, "current")] for line in chop_cells(readable(text), width)])


def notes_panel(notes: Notes, most: int, view: View) -> list[Segments]:
    """The teacher's notes to a step, and its minutes."""
    words = WORDS[view.language]
    title = words["notes"]
    if notes.minutes:
        title += ", " + words["plan"].format(minutes=f"{notes.minutes:g}")
    rule = view.readable("─") * view.width
    lines: list[Line] = [[(rule, "rule")], [(view.readable(title), "label")]]
    return [*styled(lines), *prose(notes.text or words["no notes"], view)[:most]]


def keys(view: View) -> list[Segments]:
    """What each key does."""
    words = WORDS[view.language]
    width = max(cell_len(names) for names in KEYS.values()) + 3
    lines: list[Line] = [[(view.readable(words["help"]), "title")]]
    for action, names in KEYS.items():
        what = view.readable(words[f"key.{action}"])
        lines.append([(pad(view.readable(names), width), "label"), (what, "")])
    return styled([*lines, [(view.readable(words["help.note"]), "rule")]])
