"""What is said about the text can be left out: nothing of it is shown, and all the rest runs."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from walkthrough.display.screen import Screen
from walkthrough.lesson.reading import (
    ASIDE,
    ASIDE_END,
    CodeBlock,
    Lesson,
    LessonError,
    Prose,
    choose_lessons,
    find_lessons,
    lesson_steps,
    teachers_notes,
)
from walkthrough.lesson.recording import Statement, record
from walkthrough.lesson.running import run_lesson

LANGUAGES = ("ko", "en")
WITH_ASIDES = [x for language in LANGUAGES for x in find_lessons(language) if ASIDE in x.text]
ABOUT = {
    "en": r"Where the text is|What the text does not have",
    "ko": r"원문이 (틀린|정확하지 않은) 곳|원문에 없는 것",
}


def name_of(lesson: Lesson) -> str:
    return f"{lesson.path.parent.name}-{lesson.name}"


def shown(lesson: Lesson) -> str:
    out = io.StringIO()
    run_lesson(lesson, Screen(out))
    return out.getvalue()


@pytest.mark.parametrize("lesson", WITH_ASIDES, ids=name_of)
def test_without_them_the_rest_is_what_it_was(lesson: Lesson) -> None:
    about = ABOUT[lesson.path.parent.name]
    bare = replace(lesson, without_text=True)
    whole, rest = shown(lesson), shown(bare)
    assert re.search(about, whole) and not re.search(about, rest)
    left = iter(line for line in whole.splitlines() if line.strip())
    assert all(line in left for line in rest.splitlines() if line.strip()), "in the same order"
    # The same tables by what presenters and pages are made of.
    kept = [s.source for step in record(bare) for s in step.items if isinstance(s, Statement)]
    hidden = [s.source for step in record(bare) for _, s in step.hidden]
    every = [s.source for step in record(lesson) for s in step.items if isinstance(s, Statement)]
    assert sorted(kept + hidden) == sorted(every)
    assert len(teachers_notes(bare)) == len(lesson_steps(bare))


def test_every_mistake_of_the_text_is_told_in_an_aside() -> None:
    for language in LANGUAGES:
        for lesson in find_lessons(language):
            bare = replace(lesson, without_text=True)
            blocks = [block for step in lesson_steps(bare) for block in step]
            prose = [block.markdown for block in blocks if isinstance(block, Prose)]
            assert not re.search(ABOUT[language], "\n".join(prose)), lesson.name


def test_a_whole_step_and_a_part(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        f"# A\n\nOne.\n\n{ASIDE}\n\nTwo.\n\n```python\n>>> x = 1\n```\n\n{ASIDE_END}\n\n"
        f"Three.\n\n{ASIDE}\n\n## B\n\n<!-- notes 3 min: n -->\n\nFour.\n\n{ASIDE_END}\n\n"
        "## C\n\n```python\n>>> x + 1\n2\n```\n",
        encoding="utf-8",
    )
    both = [Lesson(path), *choose_lessons([], [str(path)], without_text=True)]
    steps = [lesson_steps(lesson) for lesson in both]
    assert [len(each) for each in steps] == [3, 2]
    assert steps[1][0] == (
        Prose("# A\n\nOne."), CodeBlock(">>> x = 1\n", 10, hidden=True), Prose("Three."),
    )  # fmt: skip
    assert [note.minutes for note in teachers_notes(both[1])] == [0, 0]
    assert "Four." in shown(both[0]) and "Four." not in shown(both[1])
    assert shown(both[1]).endswith(">>> x + 1\n\n2\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"# A\n\n{ASIDE}\n\nOne.\n", 3),
        (f"# A\n\nOne.\n\n{ASIDE_END}\n", 5),
        (f"# A\n\n{ASIDE}\n\nOne.\n\n<!-- page -->\n\n{ASIDE_END}\n", 3),
    ],
)
def test_marks_stand_in_pairs(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LessonError) as found:
        lesson_steps(Lesson(path))
    assert (found.value.kind, found.value.fields["line"]) == ("aside", line)
