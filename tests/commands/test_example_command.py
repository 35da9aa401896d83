"""`walkthrough example`: a new file, and what is said of one that is wrong."""

from __future__ import annotations

from pathlib import Path

from helpers.cli import assert_one_line, run_cli


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
    assert "does not choose 나는 within 16 steps" in done.stdout.decode()
