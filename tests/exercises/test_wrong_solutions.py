"""Every check is checked: what learners get wrong fails, with the sentence that helps.

`wrong_solutions/` has a table for each exercise; its words are in the tables' first lines.
"""

from __future__ import annotations

import tomllib
import warnings
from pathlib import Path
from typing import Any

import pytest

from walkthrough.exercises.checking.process import CheckResult, run_check
from walkthrough.exercises.checking.worker import examine
from walkthrough.exercises.find import Exercise, find_exercises
from walkthrough.exercises.report import sentence

TABLES = Path(__file__).with_name("wrong_solutions")
EXERCISES = find_exercises("en")
Row = dict[str, Any]


def rows(kind: str) -> list[tuple[Exercise, Row]]:
    return [
        (exercise, row)
        for exercise in EXERCISES
        for row in tomllib.loads((TABLES / f"{exercise.name}.toml").read_text(encoding="utf-8"))[
            kind
        ]
    ]


MISTAKES, HARMLESS = rows("mistake"), rows("harmless")


def name_of(value: object) -> str:
    return value.name if isinstance(value, Exercise) else value["name"]  # type: ignore[index]


def written(exercise: Exercise, row: Row, folder: Path) -> Path:
    """A learner's file: the solution, changed."""
    source = exercise.solution.read_text(encoding="utf-8")
    for old, new in row.get("changes") or [(row["old"], row["new"])]:
        assert old in source, f"{exercise.name}: the solution has no {old!r} any more"
        source = source.replace(old, new)
    file = folder / f"{exercise.name}.py"
    file.write_text(source, encoding="utf-8")
    return file


def examined(exercise: Exercise, file: Path) -> CheckResult:
    """What the worker finds, without a process of its own."""
    stub = exercise.stub.read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an overflow that a learner made
        finding = examine(file, stub, exercise.folder / "check.py")
    return CheckResult(exercise, finding.pop("kind"), finding)


@pytest.fixture(autouse=True)
def no_real_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """`test_exercises` runs it, once."""
    monkeypatch.setattr("walkthrough.llm.smollm2.model_path", lambda: Path("not here"))


def test_each_exercise_has_a_table_of_mistakes() -> None:
    assert {path.stem for path in TABLES.iterdir()} == {exercise.name for exercise in EXERCISES}
    for exercise in EXERCISES:
        names = [row["name"] for where, row in MISTAKES if where is exercise]
        assert len(names) >= 8
        assert len(set(names)) == len(names), "two mistakes of one name"


@pytest.mark.parametrize(("exercise", "row"), MISTAKES, ids=name_of)
def test_a_mistake_fails_and_gets_its_sentence(
    exercise: Exercise, row: Row, tmp_path: Path
) -> None:
    result = examined(exercise, written(exercise, row, tmp_path))
    assert not result.passed, "a wrong solution passes"
    for language in ("en", "ko"):
        text = sentence(result, language)
        assert row[language] in text
        assert len(text) < 500


@pytest.mark.parametrize(("exercise", "row"), HARMLESS, ids=name_of)
def test_another_right_solution_passes(exercise: Exercise, row: Row, tmp_path: Path) -> None:
    result = examined(exercise, written(exercise, row, tmp_path))
    assert result.passed, sentence(result, "en")


@pytest.mark.parametrize("exercise", EXERCISES, ids=name_of)
def test_the_process_finds_what_the_worker_finds(exercise: Exercise, tmp_path: Path) -> None:
    row = next(row for where, row in MISTAKES if where is exercise)
    file = written(exercise, row, tmp_path)
    assert sentence(run_check(exercise, file, seconds=60), "ko") == sentence(
        examined(exercise, file), "ko"
    )
