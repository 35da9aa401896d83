"""`walkthrough example`: the new file is the text's example, and a wrong one is explained."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.cli import assert_one_line, run_cli
from helpers.examples import TEACHERS, teachers_file

from walkthrough.document.example import Example, load_example, parse_example
from walkthrough.document.template import COMMENTS, commented


@pytest.mark.parametrize("language", COMMENTS)
@pytest.mark.parametrize("name", [None, *TEACHERS])
def test_the_commented_file_is_the_example(
    language: str, name: str | None, ex: Example, tmp_path: Path
) -> None:
    if name is not None:
        ex = load_example(teachers_file(TEACHERS[name], tmp_path / "mine.toml"))
    text = commented(ex, language, "x.toml")
    again = parse_example(text, "x.toml")
    assert (again.title, again.tokens, again.prompt, again.eos) == (
        ex.title, ex.tokens, ex.prompt, ex.eos,
    )  # fmt: skip
    for name in ("embedding", "W_Q", "W_K", "W_V", "W_O", "W_vocab"):
        np.testing.assert_array_equal(getattr(again, name), getattr(ex, name))
    assert text.count("#") > 8
    assert "x.toml" in text


def test_new_then_check(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    assert run_cli("example", "new", str(path), "--lang", "ko").returncode == 0
    assert "모델이 아는 토큰" in path.read_text(encoding="utf-8")
    done = run_cli("example", "check", str(path))
    assert done.returncode == 0
    assert "나는 학교에  간다 . <EOS>" in done.stdout.decode()
    assert_one_line(run_cli("example", "new", str(path)), 2, "is there already")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("[0, -1, 1, 1, -1],", "[0, -1, 1, 1],"), encoding="utf-8")
    assert_one_line(run_cli("example", "check", str(path)), 2, "output.W_vocab", "row 4")
    assert_one_line(run_cli("example", "new", str(tmp_path / "no" / "x.toml")), 1, "cannot be")
    assert_one_line(run_cli("example", "--lang", "ko"), 2, "빠진 인자가 있어요")


def test_check_says_when_generation_does_not_end(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    run_cli("example", "new", str(path))
    text = path.read_text(encoding="utf-8").replace('eos = "<EOS>"', 'eos = "나는"')
    path.write_text(text, encoding="utf-8")
    done = run_cli("example", "check", str(path))
    assert done.returncode == 0
    assert "does not choose '나는' within 16 steps" in done.stdout.decode()
