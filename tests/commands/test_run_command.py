"""`walkthrough run` with an example and a lesson of somebody's own: what it says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run_cli

from walkthrough.commands.cli import main
from walkthrough.commands.run import LONG_PROMPT, example_note
from walkthrough.document.example_file import load_example

SMALL = """
title = "_a_ *b* `c` <d> [e](f)"
prompt = ["x"]
eos = "_y_"
d_model = 2
heads = 1
d_k = 2
[[token]]
text = "x"
embedding = [0, 0]
[[token]]
text = "_y_"
embedding = [0, 0]
[[head]]
W_Q = [[0, 0], [0, 0]]
W_K = [[0, 0], [0, 0]]
W_V = [[0, 0], [0, 0]]
"""


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "a_b_c.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.mark.parametrize("language", ["ko", "en"])
def test_names_are_shown_as_they_stand_and_not_as_markdown(
    example: Path, language: str, tmp_path: Path
) -> None:
    lesson = tmp_path / "l.md"
    lesson.write_text("# L\n\nA text.\n", encoding="utf-8")
    done = run_cli("run", str(lesson), "--example", str(example), "--lang", language)
    shown = " ".join(done.stdout.decode().split())
    assert "_a_ *b* `c` <d> [e](f)" in shown
    assert "_y_" in shown
    assert "a_b_c.toml" in shown.replace(" ", "")
    checked = run_cli("example", "check", str(example), "--lang", language)
    assert "(_y_)" in checked.stdout.decode() or "_y_ within" in checked.stdout.decode()


def test_a_long_prompt_is_said_to_take_long(example: Path) -> None:
    text = SMALL.replace('prompt = ["x"]', f"prompt = {['x'] * LONG_PROMPT}")
    example.write_text(text, encoding="utf-8")
    assert "minutes" not in example_note(load_example(example), "a", "en")
    example.write_text(text.replace("prompt = [", 'prompt = ["x", '), encoding="utf-8")
    assert "The prompt has 201 tokens" in example_note(load_example(example), "a", "en")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_a_lesson_lacks_is_said_and_it_is_shown(tmp_path: Path, language: str) -> None:
    (tmp_path / "l.md").write_text("A text.\n\n![p](gone.png)\n", encoding="utf-8")
    done = run_cli("run", str(tmp_path / "l.md"), "--lang", language)
    assert done.returncode == 0
    assert "A text." in done.stdout.decode()
    said = done.stderr.decode().splitlines()
    assert len(said) == 2
    assert "gone.png" in said[1]


def test_an_error_is_in_one_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["exercise", "init", "--lang", "ko"]) == 0
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    capsys.readouterr()
    assert main(["exercise", "reset", "softmax_row"]) == 2  # there is no terminal to ask on
    said = capsys.readouterr().err
    assert said.startswith("오류: ") and "옵션을 쓰세요" in said


def test_simulated_means_say_what_of_them_is_the_prefix() -> None:
    options = ["--workload", "alpaca", "--prefix", "64", "--requests", "50", "--lang", "en"]
    shown = " ".join(run_cli("simulate", *options).stdout.decode().split())
    assert "In that are the 64 tokens that all prompts begin with." in shown
