"""A lesson kept whole, and tables as HTML: the same numbers as in the terminal, escaped."""

from __future__ import annotations

import io

import pytest
from helpers.courses import course_lessons
from helpers.html import read

from walkthrough.display.html import table_html
from walkthrough.display.number import number
from walkthrough.display.screen import Screen
from walkthrough.display.table import Table, layout
from walkthrough.lesson import running
from walkthrough.lesson.reading import Lesson
from walkthrough.lesson.recording import Lines, Statement, record, split_heading


def test_html_has_the_cells_and_escapes_everything() -> None:
    table = Table(
        "a<b", [[1.5, "<EOS>"], [-0.0, "&"]], rows=["[나]", '"'], cols=["x", "<y>"], corner="c",
        marks=[["bad", ""], ["", "title"]], kind="pool",
    )  # fmt: skip
    html = table_html(table, 4)
    reader = read(html)
    assert reader.rows == [["c", "x", "<y>"], ["[나]", "1.5000", "<EOS>"], ['"', "0", "&"]]
    assert "<EOS>" not in html and "a&lt;b" in html
    assert reader.classes == {"wt-pool", "n", "wt-bad", "wt-title"}


def test_marks_style_single_cells_and_change_no_text() -> None:
    plain = Table("t", [[1, 2.5], [10, "x"]], rows=["a", "b"], cols=["c", "d"])
    marked = Table("t", plain.cells, plain.rows, plain.cols, marks=[["", "bad"], ["title", ""]])
    lines = [layout(table, width=40, precision=4) for table in (plain, marked)]
    texts = [["".join(text for text, _ in line) for line in table] for table in lines]
    assert texts[0] == texts[1]
    assert [piece for piece in lines[1][3] if piece[1] == "bad"] == [("2.5000", "bad")]


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(lesson, marks=pytest.mark.slow if lesson.number in (16, 19, 20) else ())
        for lesson in course_lessons("ko")
    ],
    ids=lambda lesson: lesson.name,
)
def test_a_recorded_lesson_has_all_that_the_terminal_shows(lesson: Lesson) -> None:
    out = io.StringIO()
    running.run_lesson(lesson, Screen(out, width=1000))
    shown = out.getvalue()
    steps = record(lesson)
    assert len(steps) >= 3 and all(step.title for step in steps)
    for step in steps:
        for item in step.items:
            if not isinstance(item, Statement):
                continue
            for piece in item.shown:
                if isinstance(piece, Table):
                    rows = read(table_html(piece, 4)).rows
                    cells = [c for row in piece.cells for c in row]
                    for cell in cells:
                        assert (cell if isinstance(cell, str) else number(cell, 4)) in shown
                    assert sum(map(len, rows)) >= len(cells)
                else:
                    text = piece.text if isinstance(piece, Lines) else piece
                    for line in text.split("\n"):
                        # a line may be broken where the recorder's width ends
                        assert line.split("=")[0].strip() in shown


@pytest.mark.parametrize(
    ("markdown", "heading", "rest"),
    [
        ("# 5. A `b`\n\nText", "5. A `b`", "\nText"),
        ("## A ##\nText", "A", "Text"),
        ("A\n---\nText", "A", "Text"),
        ("A\n===", "A", ""),
        ("#hashtag\nText", "", "#hashtag\nText"),
        ("Text\nmore", "", "Text\nmore"),
        ("", "", ""),
    ],
)
def test_headings(markdown: str, heading: str, rest: str) -> None:
    assert split_heading(markdown) == (heading, rest)
