"""Exercises as notebooks and in an editor, as a learner has them: nothing of his is lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from walkthrough.commands.cli import main
from walkthrough.exercises.editor import PROBLEM
from walkthrough.exercises.find import Exercise, choose_exercise, find_exercises
from walkthrough.exercises.notebook import CHECK, notebook_of


def filled(exercise: Exercise, source: str, path: Path) -> Path:
    """The notebook with a solution in its cell."""
    made = json.loads(notebook_of(exercise))
    made["cells"][1]["source"] = source
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    status = main(["exercise", *arguments, "--width", "200"])
    found = capsys.readouterr()
    return status, found.out + found.err


def test_a_folder_of_notebooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "--notebook", "--lang", "en", capsys=capsys)[0] == 0
    folder = tmp_path / "exercises"
    assert len(list(folder.glob("*.ipynb"))) == len(find_exercises("en"))
    assert not list(folder.glob("*.py"))
    exercise = choose_exercise(find_exercises("en"), "03b")
    file = filled(exercise, exercise.solution.read_text(encoding="utf-8"), folder / "a.ipynb")
    file = file.rename(folder / "03b_softmax_row.ipynb")
    status, said = run("check", "03b_softmax_row.ipynb", capsys=capsys)
    assert status == 0 and "03b_softmax_row.ipynb" in said
    assert "03b_softmax_row" in run("list", capsys=capsys)[1]
    # Another init, of either kind, changes nothing of his.
    before = file.read_bytes()
    for more in ([], ["--notebook"]):
        assert "43 files" not in run("init", *more, capsys=capsys)[1]
    assert file.read_bytes() == before and not list(folder.glob("*.py"))
    status, said = run("reset", "03b", "--yes", capsys=capsys)
    assert status == 0
    assert file.read_text(encoding="utf-8") == notebook_of(exercise)
    (kept,) = (folder / ".walkthrough" / "backups").iterdir()
    assert kept.suffix == ".ipynb" and kept.read_bytes() == before
    # Who has both a file and a notebook works in the file.
    (folder / "03b_softmax_row.py").write_bytes(exercise.stub.read_bytes())
    assert "03b_softmax_row.py" in run("check", "03b", capsys=capsys)[1]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_in_a_kernel(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """check(…) in the notebook itself: a wrong answer, the right one, and progress noted."""
    monkeypatch.chdir(tmp_path)
    assert main(["exercise", "init", "--notebook", "--lang", language]) == 0
    folder = tmp_path / "exercises"
    exercise = choose_exercise(find_exercises(language), "03b")
    solution = exercise.solution.read_text(encoding="utf-8")
    wrong = "import numpy as np\n\n\ndef softmax_row(scores):\n    return np.exp(scores)\n"

    def outputs(source: str) -> str:
        made: Any = nbformat.reads(notebook_of(exercise), as_version=4)
        made.cells[1].source = source
        tail = [  # names that fit no exercise, and what is no function
            "check(len)",
            "def helper():\n    return 1\n\n\ncheck(helper)",
            'check(3, exercise="03b")',
            "check(softmax_row)",
        ]
        made.cells += [nbformat.v4.new_code_cell(cell) for cell in tail]
        client = NotebookClient(made, resources={"metadata": {"path": str(folder)}}, timeout=60)
        client.execute()
        assert made.cells[2].metadata.tags == [CHECK]
        cells = [cell for cell in made.cells if cell.cell_type == "code"]
        return "\n".join("".join(out.get("text", "") for out in cell.outputs) for cell in cells)

    said = outputs(wrong)
    assert said.count("softmax_row([2.8284, 2.1213, 2.8284])[0]: ") == 2
    sentences = {
        "ko": ("어느 연습 문제인지 알 수 없어요: len", "함수나 클래스가 아니에요: 3"),
        "en": ("Which exercise is meant is not clear: len", "no function and no class: 3"),
    }[language]
    for sentence in sentences:
        assert sentence in said
    passed = {"ko": "통과했어요.", "en": "Passed."}[language]
    assert passed not in said
    assert outputs(solution).count(passed) == 2
    progress = (folder / ".walkthrough" / "progress.json").read_text(encoding="utf-8")
    assert json.loads(progress)["passed"]["03b_softmax_row"] is True


def test_tasks_for_an_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init", "--vscode", "--lang", "en", capsys=capsys)[0] == 0
    file = tmp_path / "exercises" / ".vscode" / "tasks.json"
    tasks = json.loads(file.read_text(encoding="utf-8"))["tasks"]
    assert [task["group"]["isDefault"] for task in tasks if "group" in task] == [True]
    assert all(task["problemMatcher"]["pattern"]["regexp"] == PROBLEM for task in tasks)
    file.write_text("{}\n", encoding="utf-8")
    said = run("init", "--vscode", capsys=capsys)[1]
    assert "stays as it is" in said and file.read_text(encoding="utf-8") == "{}\n"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("def softmax_row(scores):\n    return scores\n", 1, "expected 0.4011"),
        ("import numpy as np\n\n\ndef softmax_row(scores):\n    return 1 / 0\n", 5, "Zero"),
        ("def softmax_row(scores:\n", 1, "Syntax error"),
        ("x = 1\n", 1, "softmax_row"),
    ],
)
def test_a_finding_begins_with_its_place(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    source: str,
    line: int,
    message: str,
) -> None:
    """As editors read it, with the pattern that the tasks give to VS Code."""
    monkeypatch.chdir(tmp_path)
    run("init", ".", "--lang", "en", capsys=capsys)
    (tmp_path / "03b_softmax_row.py").write_text(source, encoding="utf-8")
    status, said = run("check", "03b", capsys=capsys)
    assert status == 1
    (found,) = [match for row in said.splitlines() if (match := re.match(PROBLEM, row))]
    assert (found[1], int(found[2])) == ("03b_softmax_row.py", line)
    assert message in found[3]
