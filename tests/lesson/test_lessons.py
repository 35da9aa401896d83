"""The lesson files: alike in both languages, complete, and free of typed-in results."""

from __future__ import annotations

import functools
import io
import math
import re
from pathlib import Path

import pytest
from helpers.courses import course_lessons
from helpers.examples import TEACHERS, teachers_file

from walkthrough.display.screen import Screen
from walkthrough.display.table import cell_len
from walkthrough.document import current_example
from walkthrough.lesson import reading, running
from walkthrough.lesson.reading import CodeBlock, Prose
from walkthrough.lesson.recording import record

KO, EN = reading.find_lessons("ko"), reading.find_lessons("en")
PAIRS = list(zip(KO, EN, strict=True))
ALL = [*KO, *EN]
BASE = course_lessons("en")
EXPECTED = [
    "01_two_phases",
    "02_tokens_embeddings_heads",
    "03_prefill",
    "04_decode_without_cache",
    "05_decode_with_cache",
    "06_what_it_costs",
    "07_the_cache_in_memory",
    "08_where_a_plain_cache_fails",
    "09_blocks_and_block_tables",
    "10_paged_attention_by_hand",
    "11_growing",
    "12_sharing",
    "13_beam_search",
    "14_prefix_caching",
    "15_scheduling",
    "16_memory_measured",
    "17_bytes_and_arithmetic",
    "18_latency",
    "19_the_same_tables_in_torch",
    "20_how_a_kernel_walks_the_pages",
    "21_a_real_model",
    "22_many_requests",
    "23_guessing_ahead",
    "24_smaller_keys_and_values",
    "25_prefill_here_decode_there",
]


def name_of(lesson: reading.Lesson) -> str:
    return f"{lesson.path.parent.name}-{lesson.name}"


def output(lesson: reading.Lesson, **screen: object) -> str:
    out = io.StringIO()
    running.run_lesson(lesson, Screen(out, **screen))  # type: ignore[arg-type]
    return out.getvalue()


@functools.cache
def in_80_columns(lesson: reading.Lesson) -> str:
    return output(lesson, width=80)


def test_both_languages_have_the_same_lessons() -> None:
    assert [lesson.name for lesson in KO] == [lesson.name for lesson in EN] == EXPECTED
    assert [lesson.number for lesson in KO] == [int(name[:2]) for name in EXPECTED]


@pytest.mark.parametrize(("ko", "en"), PAIRS, ids=lambda lesson: lesson.name)
def test_code_and_order_are_the_same_in_both(ko: reading.Lesson, en: reading.Lesson) -> None:
    def shape(lesson: reading.Lesson) -> list[list[str]]:
        return [
            [block.source if isinstance(block, CodeBlock) else "prose" for block in step]
            for step in reading.lesson_steps(lesson)
        ]

    assert shape(ko) == shape(en)


@pytest.mark.parametrize("lesson", ALL, ids=name_of)
def test_opens_with_the_aim_and_ends_with_a_misconception_and_a_question(
    lesson: reading.Lesson,
) -> None:
    aim, misconception, question = {
        "ko": ("> **이 레슨을 마치면**", "**흔한 오해.**", "**질문.**"),
        "en": ("> **After this lesson**", "**A common misconception.**", "**A question.**"),
    }[lesson.path.parent.name]
    steps = reading.lesson_steps(lesson)
    first, last = steps[0][0], steps[-1]
    assert isinstance(first, Prose)
    assert first.markdown.splitlines()[0].startswith(f"# {lesson.number}. ")
    assert aim in first.markdown
    text = "".join(block.markdown for block in last if isinstance(block, Prose))
    assert misconception in text
    assert question in text
    assert any(isinstance(block, CodeBlock) for block in last), "numbers answer the question"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_all_twelve_mistakes_are_told_where_the_audit_says(language: str) -> None:
    from walkthrough.document.audit import LESSONS

    told = {}
    for lesson in reading.find_lessons(language):
        text = lesson.path.read_text(encoding="utf-8")
        for mark in re.findall(r"^> \*\*[^*]*\((?:no\. )?(\d+)\)\.\*\*", text, re.MULTILINE):
            told[int(mark)] = lesson.number
    assert told == LESSONS


@pytest.mark.parametrize("lesson", EN, ids=name_of)
def test_code_lines_fit_an_80_column_terminal(lesson: reading.Lesson) -> None:
    for step in reading.lesson_steps(lesson):
        for block in step:
            if isinstance(block, CodeBlock):
                assert [line for line in block.source.splitlines() if cell_len(line) > 79] == []


@pytest.mark.parametrize("lesson", EN, ids=name_of)
def test_long_code_comes_behind_its_idea(lesson: reading.Lesson) -> None:
    """A step whose first code has more than 15 lines says first, in 20 words, what it is for."""
    for step in reading.lesson_steps(lesson):
        first = next((i for i, block in enumerate(step) if isinstance(block, CodeBlock)), None)
        if first is None:
            continue
        code = step[first]
        assert isinstance(code, CodeBlock)
        if sum(example.source.count("\n") for example in code.examples) <= 15:
            continue
        said = [block.markdown for block in step[:first] if isinstance(block, Prose)]
        words = re.sub(r"^#.*", "", "\n".join(said), flags=re.MULTILINE).split()
        assert len(words) >= 20, step[0]


def test_the_issue_of_lesson_3_the_documents_output_and_the_true_one() -> None:
    shown = output(KO[2])
    for figure in ("1.768", "1.813", "1.504", "1.752"):
        assert figure in shown
    assert re.search(r"2 tokens, causal mask\n.*\n.*\n나는   │  1  2\n학교에 │  1  1.5000", shown)


def test_lesson_5_has_the_documents_figures() -> None:
    shown = output(EN[4])
    for figures in (
        ["4", "3", "4"],
        ["2.8284", "2.1213", "2.8284"],
        ["16.9188", "8.3421", "16.9188"],
        ["0.4011", "0.1978", "0.4011"],
        ["1.4011", "1.8022"],
    ):
        assert re.search(r"간다 │ +" + " +".join(figures) + "\n", shown), figures
    assert "42.1798" in shown


def test_precision_reaches_every_figure() -> None:
    shown = output(EN[4], precision=7)
    e_4, e_3 = math.exp(4 / math.sqrt(2)), math.exp(3 / math.sqrt(2))
    assert f"{2 * e_4 + e_3:.7f}" in shown
    assert f"{(3 * e_4 + e_3) / (2 * e_4 + e_3):.7f}" in shown


@pytest.mark.parametrize(
    "width",
    [24, pytest.param(60, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.slow)],
)
def test_no_digit_is_lost_at_any_width(width: int) -> None:
    def numbers(text: str) -> list[str]:
        return sorted(re.findall(r"\d+\.\d{4}", text))

    for lesson in BASE:
        shown = output(lesson, width=width)
        assert "…" not in shown
        assert numbers(shown) == numbers(in_80_columns(lesson))


def test_ascii_prose_keeps_every_operator() -> None:
    shown = output(EN[5], encoding="ascii")
    assert "2*n^2*d" in shown
    assert "Q*K^T takes" in shown


def test_prose_with_a_table_is_whole_in_a_narrow_terminal(tmp_path: Path) -> None:
    path = tmp_path / "01_mine.md"
    path.write_text(
        "# 1. Mine\n\n| a | b |\n|---|---|\n| 123456789 | some words in a cell |\n",
        encoding="utf-8",
    )
    shown = output(reading.Lesson(path), width=20)
    assert "…" not in shown
    assert re.sub(r"\D", "", shown.split("b", 1)[1]) == "123456789"
    for word in ("some", "words", "cell"):
        assert word in shown


def test_comments_in_a_lesson_are_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "01_mine.md"
    path.write_text(
        "# 1. Mine\n\nHello `[/t]` <EOS> [q, k].\n\n<!-- for the teacher -->\n\n"
        "## Step\n\n```python\n>>> 1 + 1\n2\n>>> print('a[b]')\na[b]\n```\n",
        encoding="utf-8",
    )
    shown = output(reading.Lesson(path))
    assert "teacher" not in shown
    assert "Hello `[/t]` <EOS> [q, k]." in shown
    assert "\n2\n" in shown
    assert "\na[b]\n" in shown


def test_links_between_lessons_are_for_the_page_and_lead_somewhere() -> None:
    for lesson in ALL:
        _, links = lesson.path.read_text(encoding="utf-8").split("<!-- page -->")
        targets = re.findall(r"\]\(([^)]*)\)", links)
        assert len(targets) == (2 if lesson.name in (EXPECTED[0], EXPECTED[-1]) else 3)
        assert all((lesson.path.parent / target).is_file() for target in targets)
    assert ".md" not in output(EN[0])


def test_a_failing_lesson_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "01_mine.md"
    path.write_text("# 1. Mine\n\n```python\n>>> x = 1\n>>> x / 0\n```\n", encoding="utf-8")
    with pytest.raises(running.LessonCodeError, match=r"01_mine.md, line 5: ZeroDivisionError"):
        output(reading.Lesson(path))


OWN = """# My lesson

Some **words**.

<!-- notes 3 min: Ask first.

Then wait. -->

```python
def not_run(x): return x
```

## Second

<!-- notes: b -->
<!-- for readers of the file -->

<!-- notes 1.5 min: c -->

```python
>>> print(20 + 22)
```
"""


def test_a_teachers_own_lesson_is_chosen_by_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my_lesson.md"
    path.write_text(OWN, encoding="utf-8")
    (lesson,) = reading.choose_lessons(KO, [str(path)])
    assert (lesson.name, lesson.number, lesson.title) == ("my_lesson", None, "My lesson")
    shown = output(lesson)
    assert "    def not_run(x): return x\n" in shown
    assert shown.endswith("42\n")
    for hidden in ("notes", "Then wait", "readers of the file"):
        assert hidden not in shown
    # A teacher's copy of a lesson, by its name in the folder where it lies, before the course's.
    monkeypatch.chdir(tmp_path)
    path.rename("05_decode_with_cache.md")
    chosen = reading.choose_lessons(KO, ["05_decode_with_cache.md", "05_decode_with_cache"])
    assert [lesson.title for lesson in chosen] == ["My lesson", KO[4].title]


def test_notes_and_minutes_belong_to_their_steps(tmp_path: Path) -> None:
    path = tmp_path / "my_lesson.md"
    path.write_text(OWN, encoding="utf-8")
    notes = reading.teachers_notes(reading.Lesson(path))
    assert notes == [reading.Notes("Ask first.\n\nThen wait.", 3), reading.Notes("b\n\nc", 1.5)]
    assert [step.notes for step in record(reading.Lesson(path))] == notes


@pytest.mark.parametrize(("ko", "en"), PAIRS, ids=lambda lesson: lesson.name)
def test_every_step_has_notes_of_the_same_minutes_in_both_languages(
    ko: reading.Lesson, en: reading.Lesson
) -> None:
    korean, english = reading.teachers_notes(ko), reading.teachers_notes(en)
    assert [note.minutes for note in korean] == [note.minutes for note in english]
    assert all(note.text and note.minutes for note in [*korean, *english])
    assert 10 <= sum(note.minutes for note in english) <= 45
    for lesson, notes in ((ko, korean), (en, english)):
        if "model" in lesson.needs:
            continue  # it takes half a minute, and is run by the doctests
        blocks = [block for step in reading.lesson_steps(lesson) for block in step]
        prose = "".join(block.markdown for block in blocks if isinstance(block, Prose))
        shown = re.sub(r"\s+", "", prose)
        for note in notes:
            assert re.sub(r"\s+", "", note.text)[:20] not in shown


@pytest.mark.parametrize(
    ("content", "kind", "fields"),
    [
        (b"\xff", "encoding", {"position": 0}),
        (b"<!-- only -->\n", "empty", {}),
        (b"# a\n\n```python\n>>> 1\n1\n>>>x\n```\n", "prompts", {"line": 6}),
        (b"# a\n\n```python\n>>> if 1:\n...  x\n  ... y\n```\n", "prompts", {"line": 6}),
    ],
)
def test_what_cannot_be_read_as_a_lesson(
    content: bytes, kind: str, fields: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "my_lesson.md"
    path.write_bytes(content)
    with pytest.raises(reading.LessonError) as failure:
        reading.lesson_steps(reading.Lesson(path))
    assert failure.value.kind == kind
    assert failure.value.fields.items() >= fields.items()


def test_a_lesson_says_which_packages_it_needs() -> None:
    needs = {lesson.number: lesson.needs for lesson in ALL}
    assert {number: names for number, names in needs.items() if names} == {
        19: ["torch"],
        20: ["torch"],
        21: ["model"],
        22: ["model"],
    }


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "three heads" else pytest.mark.slow)
        for name in TEACHERS
    ],
)
def test_every_lesson_runs_with_a_teachers_example(name: str, tmp_path: Path) -> None:
    import contextvars

    path = teachers_file(TEACHERS[name], tmp_path / "mine.toml")
    context = contextvars.copy_context()  # the choice stays inside
    context.run(current_example.choose_example, path)
    for lesson in BASE:
        shown = context.run(output, lesson)
        # e^score may leave the range in the textbook's formula, never in what is computed
        # (lesson 10 shows the nan of slots that were never written)
        if lesson.number != 10:
            assert not [line for line in shown.splitlines() if "│" in line and "nan" in line]
