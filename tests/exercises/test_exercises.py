"""Every exercise, as its author must have written it: what a new folder has to pass.

Nothing here names an exercise: a folder added under lessons/exercises is tested as it is.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import tokenize

import pytest

from walkthrough.display.table import cell_len
from walkthrough.exercises.checking.doctests import literal
from walkthrough.exercises.checking.process import run_check
from walkthrough.exercises.find import Exercise, choose_exercise, definitions, find_exercises
from walkthrough.exercises.report import sentence
from walkthrough.lesson.reading import find_lessons

KO, EN = find_exercises("ko"), find_exercises("en")
ALL = [*KO, *EN]
PAIRS = list(zip(KO, EN, strict=True))
# A check takes a process of its own; the code is the same in both languages, which is tested, too.
CHECKED = [*(pytest.param(exercise, marks=pytest.mark.slow) for exercise in KO), *EN]


def name_of(exercise: Exercise) -> str:
    return f"{exercise.language}-{exercise.name}"


def docstrings(exercise: Exercise) -> dict[str, str]:
    found = {}
    for name, node in definitions(exercise.stub.read_text(encoding="utf-8")).items():
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        found[name] = ast.get_docstring(node) or ""
    return found


def test_there_are_exercises_for_every_lesson_from_1_to_20() -> None:
    assert len(KO) >= 30
    assert {exercise.lessons[0] for exercise in KO} >= set(range(1, 21))
    lessons = {lesson.number for lesson in find_lessons("ko")}
    assert all(lessons.issuperset(exercise.lessons) for exercise in ALL)
    assert [exercise.lessons for exercise in KO] == [exercise.lessons for exercise in EN]
    assert [exercise.name for exercise in KO] == [exercise.name for exercise in EN]
    for exercise in KO:
        assert (
            choose_exercise(KO, exercise.name.partition("_")[2]) is exercise
        )  # no two of one name


@pytest.mark.parametrize("exercise", CHECKED, ids=name_of)
def test_the_stub_is_still_to_be_written(exercise: Exercise) -> None:
    stub = run_check(exercise, exercise.stub, seconds=60)
    assert stub.kind == "todo", sentence(stub, "en")


@pytest.mark.parametrize("exercise", CHECKED, ids=name_of)
def test_the_solution_passes(exercise: Exercise) -> None:
    solution = run_check(exercise, exercise.solution, seconds=60)
    assert solution.passed, sentence(solution, "en")
    assert not solution.output


@pytest.mark.parametrize("exercise", ALL, ids=name_of)
def test_title_hints_reasons_and_note_are_there(exercise: Exercise) -> None:
    assert exercise.title
    assert 2 <= len(exercise.hints) <= 3
    assert all(len(text) > 20 for text in (*exercise.hints, exercise.why, exercise.note))
    first = exercise.stub.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith(f'"""{exercise.title} ('), "the file begins with the title"
    written = exercise.stub.with_suffix(".md").read_text(encoding="utf-8")
    assert written.count("\n## ") == len(exercise.hints) + 2, "a heading that is not known"
    assert "```" not in written, "code blocks in lessons/ are run as doctests"


@pytest.mark.parametrize("exercise", ALL, ids=name_of)
def test_a_stub_is_a_task_imports_and_stubs_with_docstrings(exercise: Exercise) -> None:
    text = exercise.stub.read_text(encoding="utf-8")
    module = ast.parse(text)
    assert ast.get_docstring(module)
    for node in module.body[1:]:
        assert isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef)
    for name, node in definitions(text).items():
        assert isinstance(node, ast.FunctionDef | ast.ClassDef)
        assert ast.get_docstring(node), f"{name} has no docstring"
        if isinstance(node, ast.FunctionDef):
            assert [type(part) for part in node.body] == [ast.Expr, ast.Raise], name
    assert [line for line in text.splitlines() if cell_len(line) > 79] == []


@pytest.mark.parametrize("exercise", ALL, ids=name_of)
def test_what_doctests_expect_can_be_compared(exercise: Exercise) -> None:
    examples = [
        example
        for text in docstrings(exercise).values()
        for example in doctest.DocTestParser().get_examples(text)
    ]
    wanted = [example.want for example in examples if example.want and not example.exc_msg]
    assert wanted, "a stub has doctests"
    for want in wanted:
        literal(want.strip())


@pytest.mark.parametrize(("ko", "en"), PAIRS, ids=lambda e: e.name)
def test_both_languages_have_the_same_code(ko: Exercise, en: Exercise) -> None:
    assert code(ko) == code(en)
    assert len(ko.hints) == len(en.hints)
    examples = [
        [
            (name, example.source, example.want)
            for name, text in docstrings(exercise).items()
            for example in doctest.DocTestParser().get_examples(text)
        ]
        for exercise in (ko, en)
    ]
    assert examples[0] == examples[1]


def code(exercise: Exercise) -> list[str]:
    """The stub's tokens, without comments and without docstrings."""
    text = exercise.stub.read_text(encoding="utf-8")
    skipped = (tokenize.COMMENT, tokenize.NL)
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return [t.string for t in found if t.type not in skipped and not t.string.startswith('"""')]


def test_the_two_languages_are_written_in_them() -> None:
    def hangul(text: str) -> bool:
        return any("가" <= letter <= "힣" for letter in text)

    tokens = "나는|학교에|간다"  # the document's, which English keeps
    for ko, en in PAIRS:
        for a, b in ((ko.note, en.note), (ko.why, en.why), (ko.title, en.title)):
            assert hangul(a)
            assert not hangul(re.sub(tokens, "", b))
        for text in en.hints:
            assert not hangul(re.sub(tokens, "", text))
