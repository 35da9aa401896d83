"""`check(my_function)` in a notebook: the cell that defines it is checked as a file would be."""

from __future__ import annotations

import inspect
import linecache
import sys
import tempfile
from pathlib import Path
from typing import Any

from walkthrough.exercises.find import Exercise, ExerciseError, definitions
from walkthrough.exercises.notebook_words import NOTEBOOK


def check(*mine: Any, exercise: str | None = None, lang: str = "ko", seconds: float = 10) -> None:
    """Check functions or classes of this notebook, and print what was found.

    All of an exercise's are given; the cells that define them are taken whole, with what they
    import. `exercise` says which one is meant, where its names do not. The result is noted in the
    folder of exercises that the notebook lies in, in whose language it speaks; `lang`, "ko" or
    "en", where it lies in none. It prints a sentence in any case.
    """
    from walkthrough.display.notebook import NotebookScreen
    from walkthrough.exercises.desk import Desk

    def complain(text: str) -> None:
        print(text, file=sys.stderr)

    desk = Desk(NotebookScreen(), complain, lang, seconds=seconds)
    try:
        _check(desk, mine, exercise)
    except ExerciseError as error:
        sentences = desk.words | NOTEBOOK[desk.language]
        complain(sentences[error.kind].format(**error.fields))


def _check(desk: Any, mine: tuple[Any, ...], name: str | None) -> None:
    from walkthrough.exercises.checking.process import run_check
    from walkthrough.exercises.report import show_result

    try:
        folder = desk.open()
    except ExerciseError:  # a notebook somewhere else: checked, and not noted
        folder = None
    chosen = _chosen(desk.exercises, mine, name)
    with tempfile.TemporaryDirectory() as away:
        file = Path(away, f"{chosen.name}.py")
        file.write_text(_source(mine), encoding="utf-8")
        result = run_check(chosen, file, seconds=desk.seconds)
    if folder is not None:
        desk.record(folder, result)
    show_result(desk.screen, result, desk.language)
    desk.screen.flush()


def _chosen(exercises: list[Exercise], mine: tuple[Any, ...], name: str | None) -> Exercise:
    from walkthrough.exercises.find import choose_exercise

    if name is not None:
        return choose_exercise(exercises, name)
    given = {getattr(one, "__name__", repr(one)) for one in mine}
    fits = [
        one
        for one in exercises
        if given and given <= definitions(one.stub.read_text(encoding="utf-8-sig")).keys()
    ]
    if len(fits) != 1:
        names = ", ".join(one.name for one in fits or exercises)
        raise ExerciseError("which", given=", ".join(sorted(given)) or "-", names=names)
    return fits[0]


def _source(mine: tuple[Any, ...]) -> str:
    """The cells that define these, in the order in which they were given."""
    cells: dict[str, str] = {}
    for one in mine:
        if not (inspect.isfunction(one) or inspect.isclass(one)):
            raise ExerciseError("no function", name=repr(one)[:60])
        place = _place(one)
        lines = linecache.getlines(place) if place else []
        if not lines:
            raise ExerciseError("no source", name=one.__name__)
        cells[place] = "".join(lines)
    return "\n\n".join(cells.values()) + "\n"


def _place(one: Any) -> str:
    """The file, or the cell's name, in which a function or a class's first method stands."""
    if inspect.isfunction(one):
        return str(inspect.unwrap(one).__code__.co_filename)
    methods = (value for value in vars(one).values() if inspect.isfunction(value))
    return next((str(method.__code__.co_filename) for method in methods), "")
