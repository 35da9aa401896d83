"""Sentences for people: both languages have the same ones, with the same fields to fill."""

from __future__ import annotations

import errno
import importlib
import os
import re
import string
from pathlib import Path

import pytest

import walkthrough
from walkthrough.commands.words import ARGPARSE
from walkthrough.reason_words import REASONS
from walkthrough.reasons import Reason

ROOT = Path(walkthrough.__file__).parent
MODULES = sorted([*ROOT.rglob("*words.py"), ROOT / "lesson" / "pool_sentences.py"])
LANGUAGES = {"ko", "en"}


def tables() -> list[tuple[str, dict[str, dict[object, str]]]]:
    """Every dictionary by language in every module of words, by its module and name."""
    found = []
    for path in MODULES:
        module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        for name, value in vars(importlib.import_module(module)).items():
            if isinstance(value, dict) and value.keys() & LANGUAGES and value is not ARGPARSE:
                found.append((f"{module}.{name}", value))
    return found


TABLES = tables()


def fields(sentence: str) -> set[str]:
    """Their names; a reason of the system has Korean words of its own, `{reason.ko}`."""
    found = {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}
    return {name.removesuffix(".ko") for name in found}


@pytest.mark.parametrize(("name", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_both_languages_have_the_same_sentences(
    name: str, table: dict[str, dict[object, str]]
) -> None:
    assert table.keys() == LANGUAGES
    assert list(table["ko"]) == list(table["en"]), "in the same order, to be read side by side"
    for key, korean in table["ko"].items():
        assert fields(korean) == fields(table["en"][key]), f"{name}: {key}"


def test_reasons_of_the_system_are_told_in_both_languages() -> None:
    for name, text in REASONS["en"].items():
        assert text == os.strerror(getattr(errno, name))
        assert Reason(OSError(getattr(errno, name), text)).ko == REASONS["ko"][name]
    unknown = Reason(OSError("strange"))
    assert str(unknown) == unknown.ko == "strange"
    used = [
        key
        for _, table in TABLES
        for key, sentence in table["ko"].items()
        if "{reason.ko}" in sentence
    ]
    assert len(used) >= 11


def test_words_are_found_in_every_room_that_speaks() -> None:
    rooms = {name.split(".")[1] for name, _ in TABLES}
    assert rooms >= {"commands", "document", "exercises", "export", "lesson", "llm", "presenter"}
    assert "walkthrough.serving.words.SIMULATE" in dict(TABLES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_translator_needs_no_code(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    if path.name != "pool_sentences.py":
        assert not re.search(r"^(def|class|import) ", text, re.MULTILINE)


def test_no_korean_sentence_stands_among_code() -> None:
    for path in sorted({*ROOT.rglob("*.py")} - {*MODULES}):
        assert not re.search(r"[가-힣]요\b", path.read_text(encoding="utf-8")), path


PARTICLE = re.compile(
    r"(\{[a-z_]+(![rs])?(:[^}]*)?\}|--[a-z][a-z-]*)[`'\"]?"
    r"(은\(는\)|이\(가\)|을\(를\)|와|과|은|는|을|를|나|이나)(?![가-힣])"
)
NUMBERS = {"low", "high", "place", "total", "count"}  # read as numbers, in the way they are shown


@pytest.mark.parametrize(("name", "table"), TABLES, ids=[name for name, _ in TABLES])
def test_no_particle_stands_behind_what_is_filled_in(
    name: str, table: dict[str, dict[object, str]]
) -> None:
    for key, sentence in table["ko"].items():
        for found in PARTICLE.finditer(sentence):
            field = found[1].strip("{}").partition(":")[0]
            assert field in NUMBERS, f"{name}: {key}: {found[0]}"
