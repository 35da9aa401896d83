"""Exercises as notebooks: the same text and the same check."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from walkthrough.exercises.checking.process import run_check
from walkthrough.exercises.find import Exercise, choose_exercise, definitions, find_exercises
from walkthrough.exercises.notebook import NotebookError, code_of, notebook_of

ALL = [exercise for language in ("ko", "en") for exercise in find_exercises(language)]


def name_of(exercise: Exercise) -> str:
    return f"{exercise.language}-{exercise.name}"


@pytest.mark.parametrize("exercise", ALL, ids=name_of)
def test_a_notebook_is_valid_and_holds_the_stubs(exercise: Exercise) -> None:
    made = nbformat.reads(notebook_of(exercise), as_version=4)
    nbformat.validate(made)
    code = code_of(notebook_of(exercise))
    stub = exercise.stub.read_text(encoding="utf-8")
    assert definitions(code).keys() == definitions(stub).keys()
    assert made.cells[0].source.startswith("# ")
    assert len(exercise.hints) == made.cells[-1].source.count("<details>")
    assert "$" not in made.cells[0].source.replace("\\$", "")


def filled(exercise: Exercise, source: str, path: Path) -> Path:
    """The notebook with a solution in its cell."""
    made = json.loads(notebook_of(exercise))
    made["cells"][1]["source"] = source
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["03b_softmax_row", "12b_copy_on_write", "99_paged_cache"])
def test_a_notebook_is_checked_as_a_file_is(name: str, tmp_path: Path) -> None:
    exercise = choose_exercise(find_exercises("en"), name)
    solution = exercise.solution.read_text(encoding="utf-8")
    for source in (solution, exercise.stub.read_text(encoding="utf-8"), "def f(:\n", "x = 1\n"):
        file = tmp_path / f"{name}.py"
        file.write_text(source, encoding="utf-8")
        expected = run_check(exercise, file)
        found = run_check(exercise, filled(exercise, source, tmp_path / f"{name}.ipynb"))
        assert (found.kind, found.fields, found.frames) == (
            expected.kind,
            expected.fields,
            expected.frames,
        )
        assert found.passed == (source is solution)


def test_what_is_no_notebook(tmp_path: Path) -> None:
    exercise = choose_exercise(find_exercises("en"), "03b")
    for text in ("", "{", "[]", "{}", '{"cells": 3}', '{"cells": [{}]}', "[" * 10_000):
        with pytest.raises(NotebookError):
            code_of(text)
        file = tmp_path / "03b_softmax_row.ipynb"
        file.write_text(text, encoding="utf-8")
        assert run_check(exercise, file).kind == "no notebook"
    assert code_of('{"cells": []}') == "\n"
