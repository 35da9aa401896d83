"""A lesson's file is read, and its Markdown parsed, once a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import markdown_it
import pytest

from walkthrough.commands.cli import main
from walkthrough.document.example_file import document
from walkthrough.lesson.reading import choose_lessons, find_lessons
from walkthrough.presenter.frame import lesson_title
from walkthrough.presenter.settings import Setting, play

NAME = "05_decode_with_cache.md"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each lesson's file was opened, and under "parsed" how often Markdown was parsed."""
    count: Counter[str] = Counter()
    path_open, parse = Path.open, markdown_it.MarkdownIt.parse

    def counting_open(self: Path, *arguments: Any, **options: Any) -> Any:
        if self.suffix == ".md" and "r" in str(options.get("mode", (*arguments, "r")[0])):
            count[self.name] += 1
        return path_open(self, *arguments, **options)

    def counting_parse(self: Any, src: str, env: Any = None) -> Any:
        if src.startswith("# 5. ") and "<!-- notes" in src:
            count["parsed"] += 1
        return parse(self, src, env)

    monkeypatch.setattr(Path, "open", counting_open)
    monkeypatch.setattr(markdown_it.MarkdownIt, "parse", counting_parse)
    return count


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "5"],
        ["export", "5", "-o", "5.html"],
        ["export", "5", "--to", "ipynb", "-o", "5.ipynb"],
        ["export", "5", "--to", "md", "-o", "handout"],
        ["export", "5", "6", "-o", "folder"],
    ],
    ids=" ".join,
)
def test_a_command_reads_it_once(
    opened: Counter[str],
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*arguments, "--lang", "en"]) == 0
    assert (opened[NAME], opened["parsed"]) == (1, 1)


def test_a_presenter_that_computes_again_does_not_read_again(opened: Counter[str]) -> None:
    (lesson,) = choose_lessons(find_lessons("en"), ["5"])
    assert lesson.missing == []
    setting = Setting(document())
    recordings = [play(lesson, setting, width=80, precision=4) for _ in range(2)]
    assert lesson_title(lesson).startswith("5. ")
    assert recordings[0] is not recordings[1]
    assert recordings[0][0].items[0] is recordings[1][0].items[0], "its prose is shared"
    assert (opened[NAME], opened["parsed"]) == (1, 1)


def test_a_list_reads_each_once_and_parses_none(
    opened: Counter[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "--lang", "en"]) == 0
    lessons = {lesson.path.name for lesson in find_lessons("en")}
    assert opened == Counter(lessons)
