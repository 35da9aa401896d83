"""The guide to writing a lesson: the lesson in it runs, is exported, and means the same twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.cli import ROOT, run_cli

from walkthrough.lesson import reading
from walkthrough.lesson.reading import Lesson

GUIDES = {language: ROOT / "lessons" / f"WRITING{end}.md" for language, end in
          (("en", ""), ("ko", ".ko"))}  # fmt: skip


def lesson_in(language: str, folder: Path) -> Lesson:
    found = re.search(r"````markdown\n(.*?)````", GUIDES[language].read_text("utf-8"), re.DOTALL)
    assert found
    path = folder / "my_lesson.md"
    path.write_text(found[1], encoding="utf-8")
    return Lesson(path)


@pytest.mark.parametrize("language", [pytest.param("ko", marks=pytest.mark.slow), "en"])
def test_its_lesson_does_what_it_says(language: str, tmp_path: Path) -> None:
    lesson = lesson_in(language, tmp_path)
    assert [note.minutes for note in reading.teachers_notes(lesson)] == [2, 3]
    done = run_cli("run", str(lesson.path), "--lang", language)
    assert done.returncode == 0, done.stderr
    assert "S[간다][나는]   = 1×0 + 2×2 = 4" in done.stdout.decode()
    commands = re.findall(r"^walkthrough (export .*?) *#(.*)$", GUIDES[language].read_text("utf-8"),
                          re.MULTILINE)  # fmt: skip
    assert len(commands) == 3
    for command, comment in commands:
        name = re.search(r"my_lesson\.\S+?(?=,)", comment)
        assert name
        done = run_cli(*command.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name[0]).is_file()


def test_both_guides_have_the_same_code() -> None:
    found = []
    for path in GUIDES.values():
        text = path.read_text(encoding="utf-8")
        found.append(re.findall(r"^>>> .*$|^walkthrough [^#]*", text, re.MULTILINE))
    assert found[0] == found[1]
