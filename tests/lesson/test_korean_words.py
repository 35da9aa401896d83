"""One Korean word for one thing: words that stand for something else, or read as two things."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What is not written, and what is.
INSTEAD = {
    r"(?<!출력)층": "레이어",
    r"K/V 캐시": "KV 캐시",
    r"나(눠|누어) ?[쓰써쓸쓴]": "함께 쓰다, 공유하다",
    r"곱셈-덧셈": "곱셈-누산",
    r"레슨 [0-9]": "10번 레슨",
    r"띄[우워]": "실행하다",
    r"셈[하해]": "계산하다",
    r"이 수업": "이 교재",
    r"보여 드": "보여 줘요",
}


def prose() -> Iterator[tuple[str, str]]:
    """Every Korean text: lessons, exercises, READMEs, and strings of the program."""
    for pattern in ("lessons/ko/*.md", "lessons/exercises/*/ko.*", "**/README.ko.md"):
        for path in sorted(ROOT.glob(pattern)):
            if not path.relative_to(ROOT).parts[0].startswith("."):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("walkthrough/**/*.py"), *ROOT.glob("gpu/**/*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        strings = [text for text in constants if isinstance(text, str)]
        yield path.relative_to(ROOT).as_posix(), "\n".join(strings)


PROSE = dict(prose())


@pytest.mark.parametrize("word", INSTEAD)
def test_one_word_for_one_thing(word: str) -> None:
    found = [
        f"{name}: …{text[max(0, hit.start() - 20) : hit.end() + 20]}… ({INSTEAD[word]})"
        for name, text in PROSE.items()
        for hit in re.finditer(word, text)
    ]
    assert not found


def test_all_kinds_of_prose_are_read() -> None:
    kinds = ("lessons/ko/", "lessons/exercises/", "README.ko.md", "walkthrough/", "gpu/")
    for kind in kinds:
        assert any(name.startswith(kind) and re.search("[가-힣]", PROSE[name]) for name in PROSE)
