"""What is exported: handouts and pages, as text."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.courses import LANGUAGES, course_lessons, recorded, recorded_lesson
from helpers.html import Elements
from helpers.lessons import own_lesson
from helpers.pages import pages
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.course.closing import with_closing
from walkthrough.display.html import table_html
from walkthrough.display.number import number
from walkthrough.display.table import Table
from walkthrough.display.table_heads import table_word
from walkthrough.export.film import shared
from walkthrough.export.formula import formula
from walkthrough.export.handout import handout
from walkthrough.export.page import Course, page, unfit
from walkthrough.lesson.reading import Lesson, lesson_steps
from walkthrough.lesson.recording import answer_step, record


def without_comments(text: str) -> str:
    """A lesson's file without what is only for its reader or for the page it is on."""
    text = text.partition("<!-- page -->")[0]
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)).strip()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_handout_is_the_lessons_file_with_the_results_computed(language: str) -> None:
    for lesson, played in recorded(language):
        made = handout(played, width=80, precision=4)
        assert made.strip() == without_comments(lesson.path.read_text(encoding="utf-8"))


def test_a_handout_of_ones_own_lesson_runs_again_and_stays_the_same(tmp_path: Path) -> None:
    made = handout(record(own_lesson(tmp_path)), width=80, precision=4)
    assert "SECRET" not in made
    assert "\none\n<BLANKLINE>\n>>> print" in made
    assert "<EOS>       y\n─" in made
    again = tmp_path / "again.md"
    again.write_text(made, encoding="utf-8")
    assert handout(record(Lesson(again)), width=80, precision=4) == made


def test_a_page_escapes_what_the_lesson_has(tmp_path: Path) -> None:
    lesson = own_lesson(tmp_path)
    course = Course((lesson,), "en", 4)
    html = page(lesson, record(lesson), course)
    found = Elements(html)
    assert found.all("script") == [{"type": "application/json", "id": "lesson"}, {}]
    assert "alert" not in found.text.partition('"use strict"')[2]
    assert "<script>alert(1)</script> <EOS>" in found.text
    assert "</pre><script>alert(2)</script>" in found.text
    assert "<i>Mine</i> & yours" in found.text
    assert "SECRET" not in html
    assert [a["src"] for a in found.all("img")] == ["data:image/png;base64,iVBORw=="]
    targets = [a["href"] for a in found.all("a")]
    assert targets.pop(0) == "#main"
    assert targets == ["05_decode_with_cache.md", "https://example.org/x.png", "/etc/hostname.png"]
    assert not any("javascript" in (target or "") for target in targets)
    assert "def not_run(x): return x < 1" in found.text
    assert found.all("html") == [{"lang": "en", "class": "no-js"}]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_loads_nothing_and_has_headings_in_order(language: str) -> None:
    for name, html in pages(language).items():
        found = Elements(html)
        for tag, attributes in found.elements:
            assert tag not in ("link", "iframe", "object", "embed", "img")
            assert "src" not in attributes
            if tag == "a":
                assert attributes["href"] in {*pages(language), "#main"}
        policy = found.all("meta")[2]["content"] or ""
        assert "default-src 'none'" in policy
        assert "url(" not in html and "@import" not in html
        headings = [tag for tag, _ in found.elements if re.fullmatch("h[1-6]", tag)]
        assert headings[0] == "h1" and headings.count("h1") == 1
        assert set(headings[1:]) == ({"h2", "h3"} if name == "index.html" else {"h2"})
        if name != "index.html":
            ids = [a["id"] for _, a in found.elements if "id" in a]
            assert len(ids) == len(set(ids))


def test_every_number_of_a_lesson_is_on_its_page_and_every_word(tmp_path: Path) -> None:
    for lesson, played in recorded("ko"):
        text = Elements(pages("ko")[f"{lesson.name}.html"]).text
        tables = [x for s in played for i in s.items for x in getattr(i, "shown", ())]
        for table in tables:
            if isinstance(table, Table):
                for cell in (cell for row in table.cells for cell in row):
                    word = table_word(cell, "ko") if isinstance(cell, str) else number(cell, 4)
                    assert word in text
        for step in lesson_steps(lesson):
            for block in step:
                words = re.findall(r"[가-힣]{2,}", getattr(block, "markdown", ""))
                assert [word for word in words if word not in text] == []


def test_a_page_is_small_and_every_step_fits_a_projector() -> None:
    course = Course(tuple(course_lessons("ko")), "ko", 4)
    for lesson, steps in recorded("ko"):
        assert len(pages("ko")[f"{lesson.name}.html"].encode()) < 400_000
        assert unfit(steps, course) == []


def test_the_answer_stays_folded_in_front_of_the_lessons_end() -> None:
    lesson = course_lessons("en")[4]
    steps = recorded_lesson(lesson)
    ended = with_closing(steps, lesson, "en")
    assert answer_step(ended) == answer_step(steps) == len(steps) - 1
    course = Course([lesson], "en", precision=4)
    text = page(lesson, ended, course)
    assert text.count('<details class="answer">') == 1
    assert not unfit(ended, course)
    assert "walkthrough exercise check 05_decode_step" in text
    assert "walkthrough run 6" in handout(ended, width=80, precision=4)


def test_a_lesson_of_one_step_has_no_answer() -> None:
    assert answer_step([]) is None
    assert answer_step(recorded_lesson(course_lessons("en")[4])[:1]) is None


def test_titles_are_set_as_mathematics() -> None:
    assert "<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>" in formula("S / √d_k, block 3").html
    assert formula("S / √d_k, block 3").note == "block 3"
    assert formula("P = softmax(S / √d_k + mask)").name == "P"
    assert formula("S / √d_k").name == "(S / √d_k)"
    for text in ("2 samples", "a table", "FLOPs of Q·Kᵀ, d = 64", "X·[W_Q of all heads]", "<b>"):
        assert formula(text).html == escape(text)


@given(st.text(alphabet="SQKVEe_ Ptdk^()√ᵀ·/+-=mask,123", max_size=30))
def test_no_title_breaks_the_page(title: str) -> None:
    made = formula(title)
    assert made.html.count("<math>") == made.html.count("</math>") <= 1
    ElementTree.fromstring(f"<p>{made.html}</p>")


def test_lessons_lead_to_each_other_and_the_index_to_all() -> None:
    made = pages("en")
    index = [a["href"] for a in Elements(made["index.html"]).all("a")]
    names = [f"{lesson.name}.html" for lesson in course_lessons("en")]
    assert index == names
    fifth = [a["href"] for a in Elements(made[names[4]]).all("a")]
    assert fifth == ["#main", "index.html", names[3], names[5]]


@given(
    st.lists(
        st.lists(st.floats(-1e6, 1e6) | st.integers(-999, 999), min_size=3, max_size=3),
        min_size=1, max_size=4,
    ),
    st.integers(0, 8),
)  # fmt: skip
def test_points_stand_in_line(cells: list[list[float]], precision: int) -> None:
    html = table_html(Table("", cells), precision)
    found = re.findall(r'<td class="n"(?: style="--f: (\d+)")?>([^<]*)</td>', html)
    for j in range(3):
        # characters from the point on, and those that the style makes room for
        widths = {
            len(text) - len(text.partition(".")[0]) + int(lacks or 0) for lacks, text in found[j::3]
        }
        assert len(widths) == 1


names = st.text("abc", min_size=1, max_size=2)
states = st.dictionaries(names, st.dictionaries(names, st.integers(0, 2)), max_size=4)
frames = st.fixed_dictionaries({"seqs": states, "blocks": states, "say": names})
recordings = st.fixed_dictionaries({"slots": st.just(2), "before": frames,
                                    "frames": st.lists(frames, max_size=5)})  # fmt: skip


films_of_any_kind = st.dictionaries(
    names, st.fixed_dictionaries({"recordings": st.dictionaries(names, recordings, max_size=2)})
)


@given(films_of_any_kind)
def test_light_films_say_the_same(films: dict[str, Any]) -> None:
    light, parts = shared(films)
    assert len({json.dumps(part) for part in parts}) == len(parts)
    for film in light.values():
        for recording in film["recordings"].values():
            for frame in [recording["before"], *recording["frames"]]:
                for kind in ("seqs", "blocks"):
                    frame[kind] = {key: parts[i] for key, i in frame[kind].items()}
    assert light == films
