"""The READMEs: two languages, the same parts, and what they show runs."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest
from helpers.cli import ROOT

from walkthrough.commands.cli import main

PAIRS = {
    path: path.with_name("README.ko.md")
    for path in (ROOT / "README.md", ROOT / "gpu/README.md", ROOT / "lessons/exercises/README.md")
}
ALL = [path for pair in PAIRS.items() for path in pair]
OTHERS = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "tests/benchmarks/README.md"]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(path: Path) -> list[tuple[str, str]]:
    """The fenced blocks: language and content."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text_of(path), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", PAIRS, ids=name_of)
def test_both_languages_have_the_same_parts(path: Path) -> None:
    korean = PAIRS[path]
    shapes = []
    for one in (path, korean):
        # Headings, rows of tables and items of lists, in order.
        found = re.findall(r"^(#+ |\||- |\d+\. )", text_of(one), re.MULTILINE)
        shapes.append([mark.strip() for mark in found])
    assert shapes[0] == shapes[1]
    assert f"]({korean.name})" in text_of(path).partition("\n## ")[0]
    assert f"]({path.name})" in text_of(korean).partition("\n## ")[0]


@pytest.mark.parametrize("path", PAIRS, ids=name_of)
def test_both_languages_have_the_same_code(path: Path) -> None:
    def code(one: Path) -> list[tuple[str, str]]:
        return [
            (kind, re.sub(r"--lang \w\w", "--lang", content) if kind else "")
            for kind, content in blocks(one)
        ]

    assert code(path) == code(PAIRS[path])


@pytest.mark.parametrize("path", ["README.md", "README.ko.md"])
def test_a_readme_is_short_and_its_python_runs(path: str) -> None:
    text = text_of(ROOT / path)
    assert len(text.splitlines()) < 250
    ran = [content for kind, content in blocks(ROOT / path) if kind == "python"]
    assert ran
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        for content in ran:
            exec(compile(content, path, "exec"), {})
    assert shown.getvalue() == "['간다', '.', '<EOS>']\n" * 2 + "[1, 2]\n"


@pytest.mark.parametrize("path", [*ALL, *OTHERS], ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(path)):
        if "://" in link:
            continue
        file, _, part = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), link
        if part:
            heads = re.findall(r"^#+ (.*)$", text_of(target), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads]
            assert part in slugs, link


@pytest.mark.parametrize("path", [*ALL, *OTHERS], ids=name_of)
def test_every_command_that_is_named_is_one(path: Path) -> None:
    code = [*re.findall(r"`[^`\n]*`", text_of(path)), *(content for _, content in blocks(path))]
    for command in set(re.findall(r"(?<!from )\bwalkthrough ([a-z]+)", "\n".join(code))):
        with contextlib.redirect_stdout(io.StringIO()), pytest.raises(SystemExit) as ended:
            main([command, "--help"])
        assert ended.value.code == 0, command
