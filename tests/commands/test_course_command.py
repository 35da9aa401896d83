"""`walkthrough next` and `progress`, and lessons that are remembered, as a learner meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cli import assert_one_line, run_cli


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*args: str) -> str:
    done = run_cli(*args, cwd=Path.cwd())
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_course_from_its_first_command_to_its_first_exercise(here: Path) -> None:
    assert "run 1" in said("next", "--lang", "en")
    assert "exercise init" in said("next", "--lang", "en")
    said("exercise", "init", "--lang", "ko")
    assert "다음은 1번 레슨이에요" in said("next")  # the folder's language
    ended = said("run", "1", "--lang", "ko")
    assert "연습 문제와 다음 레슨" in ended
    assert "01_passes" in ended
    assert "exercise check 01_passes" in said("next")
    assert "레슨 1/" in said("--lang", "ko")  # the bare command, too
    assert "●  1" in said("progress")
    data = json.loads(said("progress", "--json", "--name", "me"))
    assert data["lessons"][0]["read"]
    assert data["learner"] == "me"
    assert said("progress", "--md", "--lang", "en").startswith("# What has been done")


def test_what_does_not_go_together_is_one_sentence(here: Path) -> None:
    assert_one_line(run_cli("progress", "--md", "--json", "--lang", "en"), 2, "--md, --json")
    assert_one_line(
        run_cli("progress", "--folder", "x", "--lang", "en", cwd=here), 2, "no exercises in x"
    )
