"""What the presenter is made of, without a screen: keys, workings, slides, pools, settings."""

from __future__ import annotations

import contextvars
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.courses import course_lessons, recorded_lesson, walk
from helpers.examples import TEACHERS, teachers_file
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.display.number import number
from walkthrough.display.screen import Screen
from walkthrough.display.table import Table
from walkthrough.display.working import Working, product, shares, transposed, with_transposed
from walkthrough.document import current_example
from walkthrough.document.example_file import document
from walkthrough.lesson import running
from walkthrough.lesson.derivation import derive
from walkthrough.lesson.named_tables import factor_names, role, with_factor_names, with_table
from walkthrough.lesson.pool_history import HistoryReader, PoolHistory
from walkthrough.lesson.reading import Lesson, find_lessons
from walkthrough.lesson.recording import RecordedStep, Spelled, Statement
from walkthrough.presenter import settings as changing
from walkthrough.presenter.drawing import draw_piece, finished, unfinished
from walkthrough.presenter.keys import ACTION_OF, ACTIONS, KEY_OF, latin, pressed
from walkthrough.presenter.pools import pool_drawing, watchable
from walkthrough.presenter.settings import Setting, SettingError, change, matrices, play
from walkthrough.presenter.slides import (
    EVERY,
    FIRST,
    WHOLE,
    PartShown,
    Position,
    SlidePiece,
    SlideShow,
    parts,
    slides,
)
from walkthrough.presenter.view import Segments, View
from walkthrough.presenter.words import KEYS, WORDS
from walkthrough.presenter.working_view import marked

EN, KO = find_lessons("en"), find_lessons("ko")
VIEW = View(78, 21, 4, str)


def text_of(rows: list[Segments]) -> str:
    return "\n".join("".join(segment.text for segment in row) for row in rows)


def deck_of(lesson: Lesson, detail: int = FIRST) -> SlideShow:
    return SlideShow(slides(recorded_lesson(lesson), 4), detail)


def positions(slideshow: SlideShow) -> list[Position]:
    found = [Position()]
    while (after := slideshow.forward(found[-1])) != found[-1]:
        found.append(after)
    return found


# Keys


@given(st.sampled_from(sorted(KEY_OF.items())))
def test_a_jamo_is_the_key_that_it_lies_on(pair: tuple[str, str]) -> None:
    jamo, key = pair
    assert pressed("anything", jamo) == [key]


@given(st.text(st.sampled_from("qwertyuiopasdfghjklzxcvbnm"), min_size=1, max_size=8))
def test_what_an_input_method_composes_means_the_keys_that_were_typed(typed: str) -> None:
    import unicodedata

    jamo = {key: jamo for jamo, key in KEY_OF.items()}
    loose = "".join(jamo[key] for key in typed)
    composed = unicodedata.normalize("NFKC", loose)  # syllables, where two letters make one
    assert latin(loose) == latin(composed) == typed


def test_syllables_with_clusters() -> None:
    assert [latin(c) for c in ("호", "없", "과", "읽", "뛔", "ㅣ", "q", "?", "ﾱ")] == [
        "gh", "djqt", "rhk", "dlfr", "Enp", "l", "q", "?", "ﾱ",
    ]  # fmt: skip
    assert pressed("unused", "ﾱ") == ["a"]  # halfwidth ㅁ


def test_every_action_has_a_key_and_a_line_in_the_help() -> None:
    assert len(ACTION_OF) == sum(map(len, ACTIONS.values())), "a key that does two things"
    for language in ("ko", "en"):
        assert set(WORDS[language]) == set(WORDS["en"])
        assert all(f"key.{action}" in WORDS[language] for action in KEYS)
    assert set(ACTIONS) <= set(KEYS)
    for keys in ("right", "down", "pagedown", "space", "l", "j"):
        assert ACTION_OF[keys] == "forward"
    for keys in ("left", "up", "pageup", "h", "k"):
        assert ACTION_OF[keys] == "back"


# Workings


def numbers(*shape: int) -> st.SearchStrategy[list[list[float]]]:
    whole = st.integers(-9, 9).map(float)
    return st.lists(
        st.lists(whole, min_size=shape[1], max_size=shape[1]),
        min_size=shape[0], max_size=shape[0],
    )  # fmt: skip


@st.composite
def factors(draw: st.DrawFn) -> tuple[Table, Table]:
    n, d, m = (draw(st.integers(1, 4)) for _ in range(3))

    def table(name: str, rows: int, cols: int) -> Table:
        labels = [f"{name}{i}" for i in range(rows)], [f"c{j}" for j in range(cols)]
        return Table(name, draw(numbers(rows, cols)), *labels)

    return table("A", n, d), table("B", d, m)


def value_at(working: Working, place: tuple[int, int, int]) -> float:
    which, i, j = place
    value = working.tables[which].cells[i][j]
    assert not isinstance(value, str)
    return value


@given(factors(), st.booleans())
def test_a_products_terms_stand_where_their_places_say(
    pair: tuple[Table, Table], flip: bool
) -> None:
    A, B = pair
    working = product(A, B, "C", 4)
    if flip:
        working = with_transposed(working, 1, "B")
        assert working.tables[1].cells == transposed(B).cells
    np.testing.assert_allclose(working.tables[2].cells, np.array(A.cells) @ np.array(B.cells))
    assert len(working.entries) == len(A.cells) * len(B.cells[0])
    for entry in working.entries:
        values = [[value_at(working, place) for place in term.places] for term in entry.terms]
        assert sum(a * b for a, b in values) == pytest.approx(value_at(working, entry.place))
        assert entry.result == number(value_at(working, entry.place), 4)
        for term, (a, b) in zip(entry.terms, values, strict=True):
            assert term.text.replace("(", "").replace(")", "") == f"{a:g}×{b:g}".replace("-0", "0")


@given(numbers(3, 2))
def test_shares_are_the_entries_over_their_sum(cells: list[list[float]]) -> None:
    exponentials = np.exp(cells)
    working = shares(Table("E", exponentials.tolist(), ["a", "b", "c"], ["x", "y"]), "P", 4)
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(working.tables[2].cells, weights)
    for entry in working.entries:
        values = [value_at(working, place) for term in entry.terms for place in term.places]
        expected = sum(values) if entry.name.startswith("sum") else values[0] / values[1]
        assert expected == pytest.approx(value_at(working, entry.place))


def test_factors_have_the_names_that_the_code_gives_them() -> None:
    assert factor_names('spell(q, K_b.T, "S", rows=new)') == {"S": [("q", False), ("K_b", True)]}
    assert factor_names('spell(x, ex.W_Q[0], "q")') == {"q": [("x", False), ("W_Q, head 1", False)]}
    loop = 'for i in range(2):\n    spell(y[-1:], ex.W_vocab, "logits", rows=prompt[-1:])\n'
    assert factor_names(loop) == {"logits": [("y", False), ("W_vocab", False)]}
    assert factor_names('spell([[1]], [[2]], "M")') == {"M": [("", False), ("", False)]}
    assert factor_names("spell(a, b, name)") == factor_names("show(a)") == {}


def test_roles() -> None:
    titles = {
        "X": "X", "x, to find the token after '.'": "X", "q = x·W_Q": "Q", "K cache": "K",
        "V, head 2 (own)": "V", "S = q·Kᵀ": "S",
        "S / √d_k": "scaled", "S / √d_k + mask": "masked",
        "E = e^(S / √d_k + mask - m), m: row max": "E", "P = E / sum": "P", "P, no mask": "",
        "O = P·V": "O", "sum of each row of E": "sum", "change of P": "",
        "pool": "", "mask": "mask",
        "W_Q, head 1 (own)": "W_Q", "Keys": "", "Output": "",
    }  # fmt: skip
    assert {title: role(title) for title in titles} == titles


def attention_board(rng: np.random.Generator) -> dict[str, Table]:
    """Every table of an attention of 2 queries over 3 keys, by title."""
    from walkthrough.reference import attention as A

    Q, K, V = rng.normal(size=(2, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    mask = A.causal_mask(2, 3)
    a = A.attend(Q, K, V, mask)
    tokens, dims = ["a", "b", "c"], ["1", "2"]
    E = A.exponentials(a.masked)
    arrays = {
        "Q": (Q, tokens[1:], dims), "K": (K, tokens, dims), "V": (V, tokens, dims),
        "S = Q·Kᵀ": (a.scores, tokens[1:], tokens), "S / √d_k": (a.scaled, tokens[1:], tokens),
        "mask": (np.where(mask, 0, -np.inf), tokens[1:], tokens),
        "S / √d_k + mask": (a.masked, tokens[1:], tokens),
        "E = e^(S / √d_k + mask)": (E, tokens[1:], tokens),
        "sum of each row of E": (E.sum(axis=-1, keepdims=True), tokens[1:], ["sum"]),
        "P = E / sum": (a.weights, tokens[1:], tokens), "O = P·V": (a.output, tokens[1:], dims),
    }  # fmt: skip
    return {title: Table(title, x.tolist(), *labels) for title, (x, *labels) in arrays.items()}


@given(st.integers(0, 10_000), st.data())
@settings(max_examples=30)
def test_a_table_is_derived_only_where_its_numbers_agree(seed: int, data: st.DataObject) -> None:
    named: dict[str, Table] = {}
    tables = attention_board(np.random.default_rng(seed))
    for title, table in tables.items():
        working = derive(table, named, 4)
        assert (working is None) == (title in ("Q", "K", "V", "mask")), title
        if working is not None:
            assert working.tables[-1] == table
            assert {e.place[0] for e in working.entries} <= set(range(len(working.tables)))
            wrong = [list(row) for row in table.cells]
            i = data.draw(st.integers(0, len(wrong) - 1))
            j = data.draw(st.integers(0, len(wrong[0]) - 1))
            wrong[i][j] = 0.123 if np.isinf(wrong[i][j]) else wrong[i][j] + 0.001
            assert derive(replace(table, cells=wrong), named, 4) is None
        named = dict(with_table(named, table))


def test_a_shifted_exponential_says_what_it_is_the_power_of() -> None:
    named = attention_board(np.random.default_rng(0))
    by_role = {role(title): table for title, table in named.items()}
    scaled = np.array(by_role["masked"].cells)
    shifted = np.exp(scaled - scaled.max(axis=1, keepdims=True)).tolist()
    title = "E = e^(S / √d_k + mask - m), m: row max"
    working = derive(replace(by_role["E"], title=title, cells=shifted), by_role, 4)
    assert working is not None
    assert {"e^(0)", "e^(-∞)"} <= {term.text for e in working.entries for term in e.terms}


# Slides


@pytest.mark.parametrize(
    "lesson",
    walk([*course_lessons("ko"), *course_lessons("en")]),
    ids=lambda x: f"{x.path.parent.name}-{x.name}",
)
def test_forth_and_back_through_every_lesson(lesson: Lesson) -> None:
    played = slides(recorded_lesson(lesson), 4)
    for detail in (WHOLE, FIRST, EVERY):
        slideshow = SlideShow(played, detail)
        forth = positions(slideshow)
        back = [forth[-1]]
        while (before := slideshow.back(back[-1])) != back[-1]:
            back.append(before)
        assert back == forth[::-1]
        assert forth[-1] == slideshow.last()
        assert {at.slide for at in forth} == set(range(len(slideshow.slides)))
        if detail == FIRST:
            assert len(forth) < 200, "nobody presses a key that often"
            for at in forth:
                rows, begin = draw_piece(slideshow, at, VIEW)
                assert begin < len(rows)
                assert all(sum(s.cell_length for s in row) <= VIEW.width for row in rows)


@pytest.mark.parametrize("lesson", walk(course_lessons("en")), ids=lambda lesson: lesson.name)
def test_the_slides_show_every_number_of_the_lesson(lesson: Lesson) -> None:
    out = io.StringIO()
    running.run_lesson(lesson, Screen(out, width=78))
    slideshow = deck_of(lesson)
    # with more space wide tables are cut into panels, and their labels stand there twice
    for spacing, pattern in (0, r"-?\d[\d,]*(?:\.\d+)?(?:e-\d+)?"), (4, r"\d+\.\d{4}"):
        view = replace(VIEW, spacing=spacing)
        shown = [
            text_of(finished(piece, view))
            for slide in slideshow.slides
            for piece in slide.pieces
            if not isinstance(piece.content, PoolHistory)  # which the terminal has not
        ]
        found = re.findall(pattern, "\n".join(shown))
        assert sorted(found) == sorted(re.findall(pattern, out.getvalue()))


def test_the_steps_of_lesson_5_are_spelled_out() -> None:
    slideshow = deck_of(EN[4])
    spelled = [piece for slide in slideshow.slides for piece in slide.pieces if piece.spelled]
    names = [[table.title for table in p.working.tables] for p in spelled if p.working]
    for expected in (
        ["x", "W_Q, head 1", "q"],
        ["q", "K", "S"],
        ["E", "sum", "P"],
        ["P", "V", "O"],
    ):
        assert expected in names
    for slide in slideshow.slides:
        for piece in slide.pieces:
            if isinstance(piece.content, Table) and role(piece.content.title) in (
                "S", "scaled", "E", "sum", "P", "O",
            ):  # fmt: skip
                assert piece.working is not None, piece.content.title


def test_cells_in_play_are_marked_in_all_matrices_at_once() -> None:
    slideshow = deck_of(EN[4])
    at = next(
        at
        for at in positions(slideshow)
        if (working := slideshow.piece(at).working) is not None
        and (shown := slideshow.shown(at)) is not None
        and working.tables[-1].title == "S"
        and (shown.entry, shown.terms) == (0, 2)
    )
    piece, shown = slideshow.piece(at), slideshow.shown(at)
    assert piece.working is not None and shown is not None
    tables = {role(t.title): t for t in marked(piece, piece.working, shown, ("X", "Q", "K", "V"))}
    assert list(tables) == ["X", "Q", "K", "V", "S"]
    assert tables["X"].marks == [["also"] * 4]  # one token is fed, the query's
    assert tables["Q"].marks == [["also", "now"]]
    assert tables["K"].marks == [["also", "now"], ["", ""], ["", ""]]
    assert tables["V"].marks == [["also", "also"], ["", ""], ["", ""]]
    assert tables["S"].marks == [["now", "hidden", "hidden"]]
    screen = text_of(list(draw_piece(slideshow, at, VIEW)[0]))
    assert "S[간다][나는]   = 1×0 + 2×2 = 4" in screen
    assert "S[간다][학교에]" not in screen


def test_no_key_is_looked_for_where_none_is_meant() -> None:
    X = Table("X", [[1], [2]], ["the", "cat"], ["1"])
    working = product(
        replace(X, title="y"), Table("W", [[3, 4]], ["1"], ["the", "cat"]), "logits", 4
    )
    piece = SlidePiece("", working, True, {"X": X, "K": replace(X, title="K")})
    tables = marked(piece, working, PartShown(0, 1), ("X", "K"))
    assert [table.title for table in tables] == ["y", "W", "logits"]


def test_a_product_without_entries_is_a_piece_like_any_other() -> None:
    working = product(Table("A", [], [], ["1"]), Table("B", [[1]], ["1"], ["c"]), "C", 4)
    piece = SlidePiece(Spelled((), working), working, True)
    assert parts(piece, FIRST) == parts(piece, EVERY) == [None]
    assert finished(piece, VIEW) == []


def test_a_token_that_stands_twice_is_the_last_one_of_it() -> None:
    q, K = Table("q", [[1]], ["the"], ["1"]), Table("K", [[1], [2], [3]], ["the", "cat", "the"])
    working = product(q, replace(transposed(K), rows=["1"]), "S", 4)
    named = {"X": replace(K, title="X"), "V": replace(K, title="V")}
    piece = SlidePiece("", working, True, named)
    for entry, (x, v) in enumerate([((0, 2), (0,)), ((1, 2), (1,)), ((2,), (2,))]):
        tables = {t.title: t for t in marked(piece, working, PartShown(entry, 1), ("X", "V"))}
        for name, rows in (("X", x), ("V", v)):
            assert tables[name].marks == [["also" if i in rows else ""] for i in range(3)]


@pytest.mark.parametrize("name", TEACHERS)
def test_a_teachers_example_is_presented(name: str, tmp_path: Path) -> None:
    path = teachers_file(TEACHERS[name], tmp_path / "mine.toml")
    context = contextvars.copy_context()
    example = context.run(current_example.choose_example, path)
    for lesson in (*EN[1:6], *EN[8:12]) if name == "three heads" else (EN[4], EN[9]):
        steps = play(lesson, Setting(example), width=78, precision=4)
        slideshow = SlideShow(slides(steps, 4), EVERY)
        for slide, shown in enumerate(slideshow.slides):
            rows, _ = draw_piece(
                slideshow, slideshow.end(Position(slide, len(shown.pieces) - 1)), VIEW
            )
            assert all(sum(s.cell_length for s in row) <= VIEW.width for row in rows)
            for piece in shown.pieces:
                if (all_of_it := parts(piece, EVERY)[-1]) is not None and piece.working:
                    rows = unfinished(piece, all_of_it, VIEW)
                    assert all(sum(s.cell_length for s in row) <= VIEW.width for row in rows)
    assert all(str(token) in str(matrices(Setting(example), steps)) for token in example.tokens)


# Pools


@pytest.mark.parametrize("lesson", EN[8:15], ids=lambda lesson: lesson.name)
def test_the_pool_is_drawn_as_the_events_say(lesson: Lesson) -> None:
    steps = recorded_lesson(lesson)
    reader = HistoryReader.of(steps)
    histories = [
        cut
        for step in steps
        for item in step.items
        if isinstance(item, Statement)
        for cut in watchable(reader.cut(item.pool_events))
    ]
    assert histories
    for cut in histories:
        assert sum(cut.groups()) == len(cut.events)
        for count, event in enumerate(cut.events, 1):
            table = pool_drawing(cut, count, 1, "en")
            block = event.event.block
            column = [row[block] for row in table.cells]
            assert column[0] == str(event.ref_cnt)
            assert str(column[2]).strip() == event.state
            assert table.marks[0][block] == "now"
            if event.event.kind == "copied" and event.event.other is not None:
                assert table.marks[0][event.event.other] == "also"


def test_the_blocks_of_lesson_12_fill_are_shared_and_copied() -> None:
    slideshow = deck_of(EN[11])
    texts = [text_of(list(draw_piece(slideshow, at, VIEW)[0])) for at in positions(slideshow)]
    for sentence in (
        "Block 1 has 2 slots filled.",
        "Block 1 is now used by 3 sequences.",
        "Block 1 is copied to block 2.",
        "Block 2 goes back to the pool.",
    ):
        assert any(sentence in text for text in texts), sentence


# Changes


def shown_by(steps: list[RecordedStep]) -> list[object]:
    return [item.shown for step in steps for item in step.items if isinstance(item, Statement)]


def test_a_change_reaches_every_number_and_nothing_else() -> None:
    before = Setting(document())
    after = change(before, "X", 2, 3, "2")
    assert after.example.embedding[2].tolist() == [1, 1, 0, 2]
    assert before.example.embedding[2].tolist() == [1, 1, 0, 1]
    assert after.example.token_origins[2] == "changed"
    spelled = [
        shown.text
        for item in play(EN[4], after, width=78, precision=4)[3].items
        if isinstance(item, Statement)
        for shown in item.shown
        if isinstance(shown, Spelled)
    ]
    assert spelled[0].startswith("S[간다][나는]   = 1×0 + 3×2 = 6\n")
    again = play(EN[4], before, width=78, precision=4)
    assert shown_by(again) == shown_by(recorded_lesson(EN[4]))
    assert current_example.example().embedding[2].tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize(
    ("title", "name"),
    [("W_Q, head 2", "W_Q"), ("W_V, head 1", "W_V"), ("W_O", "W_O"), ("W_vocab", "W_vocab")],
)
def test_every_weight_can_be_changed(title: str, name: str) -> None:
    setting = Setting(document())
    after = change(setting, title, 1, 1, "-7.5")
    table = next(t for t in matrices(after, []) if t.title == title)
    assert table.cells[1][1] == -7.5
    changed = getattr(after.example, name) != getattr(setting.example, name)
    assert changed.sum() == 1


def test_the_block_size_is_changed_in_the_code() -> None:
    steps = play(EN[8], Setting(document(), 3), width=78, precision=4)
    assert changing.block_size(steps) == 3
    assert changing.block_size(recorded_lesson(EN[8])) == 2
    assert changing.block_size(recorded_lesson(EN[4])) is None
    sources = [item.source for item in steps[1].items if isinstance(item, Statement)]
    assert "size = 3\n" in sources
    tuples = play(EN[12], Setting(document(), 16), width=78, precision=4)
    sources = [item.source for step in tuples for item in step.items if isinstance(item, Statement)]
    assert "prompt, size, width = ex.ids(ex.prompt), 16, 3\n" in sources


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("X", "1001", "large"),
        ("X", "-", "number"),
        ("X", "1.2.3", "number"),
        ("X", "nan", "large"),
        ("block size", "0", "whole"),
        ("block size", "65", "whole"),
        ("block size", "1.5", "whole"),
    ],
)
def test_what_does_not_go_there_is_refused(title: str, text: str, kind: str) -> None:
    with pytest.raises(SettingError) as failure:
        change(Setting(document()), title, 0, 0, text)
    for language in ("ko", "en"):
        assert text in WORDS[language][kind].format(**failure.value.fields)
    assert failure.value.kind == kind


def test_names_of_a_recorded_working_stay_with_its_numbers() -> None:
    A, B = Table("", [[1, 2]], ["r"], ["1", "2"]), Table("", [[3], [4]], ["1", "2"], ["c"])
    working = with_factor_names(product(A, B, "S", 4), 'spell(q, K.T, "S")')
    assert [table.title for table in working.tables] == ["q", "K", "S"]
    assert working.tables[1].cells == [[3, 4]]
    assert [t.places for t in working.entries[0].terms] == [
        ((0, 0, 0), (1, 0, 0)), ((0, 0, 1), (1, 0, 1)),
    ]  # fmt: skip
