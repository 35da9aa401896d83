"""Tables and pictures as text: aligned, whole, never read as markup."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough import draw_memory, draw_rows, show, show_attention, spell, spell_softmax
from walkthrough.display import screen as screens
from walkthrough.display.charset import FALLBACKS, Charset
from walkthrough.display.number import number
from walkthrough.display.screen import STYLES, Screen
from walkthrough.display.table import Table, cell_len, layout


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4, "4"),
        (4.0, "4"),
        (1.5, "1.5000"),
        (-0.0, "0"),
        (-0.00001, "0.0000"),
        (2 + 1e-15, "2"),
        (0.1 + 0.2 - 0.3, "0"),
        (123456.0001, "123,456.0001"),
        (2147483648.0003, "2,147,483,648.0003"),
        (-3 - 1e-14, "-3"),
        (1.5e20, "1.5000e+20"),
        (524288, "524,288"),
        (1234.5678, "1,234.5678"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "nan"),
        (np.float64(2), "2"),
        (True, "1"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value, 4) == text  # type: ignore[arg-type]


def test_precision() -> None:
    assert number(1 / 3, 0) == "0"
    assert number(1 / 3, 10) == "0.3333333333"
    assert number(1e-12, 13) == "0.0000000000010"


def text_of(table: Table, width: int = 80, precision: int = 4) -> list[str]:
    lines = layout(table, width=width, precision=precision)
    return ["".join(text for text, _ in line) for line in lines]


words = st.text(alphabet="abgQ나는학교에[]/.✓", min_size=1, max_size=8)
finite = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.data(), st.integers(1, 5), st.integers(1, 7), st.integers(20, 90), st.integers(0, 8))
def test_any_table_is_whole_aligned_and_within_the_width(
    data: st.DataObject, n: int, m: int, width: int, precision: int
) -> None:
    cells = data.draw(st.lists(st.lists(finite, min_size=m, max_size=m), min_size=n, max_size=n))
    rows = data.draw(st.lists(words, min_size=n, max_size=n))
    cols = data.draw(st.lists(words, min_size=m, max_size=m))
    lines = text_of(Table("", cells, rows, cols), width, precision)
    found = [line.split("│")[1].split() for line in lines if "│" in line]
    blocks = [found[i : i + n + 1] for i in range(0, len(found), n + 1)]
    for i, row in enumerate(cells):  # every number stands in full, in order, row by row
        wanted = [number(value, precision) for value in row]
        assert [text for block in blocks for text in block[i + 1]] == wanted
    assert [text for block in blocks for text in block[0]] == list(cols)
    bars = {cell_len(line[: line.index("│")]) for line in lines if "│" in line}
    assert len(bars) == 1, "the bar stands in one column, whatever the labels are"
    one_column = max(cell_len(label) for label in rows) + 3 + 40
    assert all(cell_len(line) <= max(width, one_column) for line in lines)


def test_decimal_points_line_up() -> None:
    lines = text_of(Table("", [[1, 10.25], [100.5, -2]], ["a", "b"], ["x", "y"]))
    assert lines[2:] == ["a │    1       10.2500", "b │  100.5000  -2"]


def test_markup_is_printed_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    show([[1]], "[bold]S[/bold]", rows=["[q, k]"], cols=["[/t]"])
    assert capsys.readouterr().out.splitlines()[0] == "[bold]S[/bold]"
    out = io.StringIO()
    coloured = Screen(out, colour=True)
    coloured.table(Table("[bold]S[/bold]", [[1]], ["[q, k]"], ["[/t]"]))
    assert "[bold]S[/bold]" in out.getvalue()
    assert "[q, k]" in out.getvalue()


def test_wrong_labels_and_shapes_are_named() -> None:
    with pytest.raises(ValueError, match="3 row labels for 2 rows"):
        show([[1], [2]], rows="abc")
    with pytest.raises(ValueError, match="1 column labels for 2 columns"):
        show([[1, 2]], cols=["a"])
    with pytest.raises(ValueError, match="one or two axes"):
        show(np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="one or two axes"):
        show([[1, 2], [3]])
    with pytest.raises(ValueError, match="S: 1 × 2 times 3 × 1"):
        spell([[1, 2]], [[1], [2], [3]], "S")


def test_what_show_takes(capsys: pytest.CaptureFixture[str]) -> None:
    show(np.float64(2.5))
    show([1, 2])
    show(np.array([[True, False]]))
    show(["a", "b"])
    show((1, np.int64(3)))
    assert capsys.readouterr().out == "2.5000\n1  2\n1  0\na  b\n1  3\n"


def test_spelled_products_bracket_negatives_and_break_at_plus(
    capsys: pytest.CaptureFixture[str],
) -> None:
    spell([[-1, 2]], [[3], [-0.5]], "S")
    assert capsys.readouterr().out == "S[1][1] = (-1)×3 + 2×(-0.5000) = -4\n"
    out = io.StringIO()
    token = screens.running_screen.set(Screen(out, width=20))
    try:
        spell([[1.5, 2.5, 3.5]], [[1], [1], [1]], "S")
    finally:
        screens.running_screen.reset(token)
    assert " ".join(out.getvalue().split()) == "S[1][1] = 1.5000×1 + 2.5000×1 + 3.5000×1 = 7.5000"
    assert max(map(len, out.getvalue().splitlines())) <= 20


def test_an_empty_table_shows_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    show([], "nothing", cols=["a", "b"])
    assert capsys.readouterr().out == "nothing\na  b\n────\n"


def test_softmax_terms_beyond_what_four_decimals_show(capsys: pytest.CaptureFixture[str]) -> None:
    spell_softmax([[math.exp(-30), 0.0]], "P", rows=["q"], cols=["a", "b"])
    assert capsys.readouterr().out.splitlines() == [
        "sum[q]  = 9.3576e-14 + 0 = 9.3576e-14",
        "P[q][a] = 9.3576e-14 / 9.3576e-14 = 1",
        "P[q][b] = 0 / 9.3576e-14 = 0",
    ]
    spell_softmax([[math.inf]], "P")
    assert capsys.readouterr().out.splitlines()[1] == "P[1][1] = ∞ / ∞ = nan"


def test_show_attention_shifts_what_cannot_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from walkthrough.reference.attention import attend

    Q, K = np.array([[100.0]]), np.array([[10.0], [-10.0]])
    show_attention(attend(Q, K, K), rows=["q"], cols=["a", "b"])
    shown = capsys.readouterr().out
    assert "∞" not in shown
    assert "mask - m), m: row max\n" in shown
    show_attention(attend(Q / 100, K / 10, K), rows=["q"], cols=["a", "b"])
    assert "E = e^(S / √d_k + mask)\n" in capsys.readouterr().out


def test_default_screen_writes_what_the_console_has(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="cp949")
    monkeypatch.setattr("sys.stdout", out)
    show([[1]], "K ᵀ √", rows=["나는"])
    out.flush()
    assert out.buffer.getvalue().decode("cp949") == "K ^T √\n나는 │  1\n"


def test_a_name_that_cannot_be_drawn() -> None:
    from walkthrough.paging.contiguous import ContiguousAllocator

    memory = ContiguousAllocator(3)
    memory.reserve("나", 1)
    with pytest.raises(ValueError, match="cannot draw '나'"):
        draw_memory(memory)


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    from walkthrough.paging.contiguous import ContiguousAllocator
    from walkthrough.reference.cache import ContiguousCache

    memory = ContiguousAllocator(45)
    memory.reserve("A", 5)
    memory.write("A", 2)
    memory.reserve("B", 3)
    draw_memory(memory)
    out = capsys.readouterr().out.splitlines()
    assert out == [" 0 │ AAaaabbb" + "." * 32, "40 │ ....."]
    cache = ContiguousCache(2, 1)
    cache.append(np.array([1.0]), np.array([2.5]))
    draw_rows(cache, ["나는"])
    assert capsys.readouterr().out.splitlines()[2:] == [
        "   0  나는      1  2.5000",
        "   1  -         -  -",
    ]


@pytest.mark.parametrize("encoding", ["ascii", "cp949", "cp1252", "latin-1", "shift_jis"])
def test_any_text_becomes_encodable(encoding: str) -> None:
    charset = Charset(encoding)
    text = "나는 √2 → Kᵀ 1−e² │─┼ ✓ … é 漢 \U0001f600" + "".join(FALLBACKS)
    charset.readable(text).encode(encoding)
    assert charset.readable("4.0112 [q, k] <EOS>") == "4.0112 [q, k] <EOS>"


def test_ascii_is_readable() -> None:
    charset = Charset("ascii")
    assert charset.readable("나는 학교에 간다") == "naneun hakgyoe ganda"
    assert charset.readable("S = q·Kᵀ / √d_k → −∞") == "S = q*K^T / sqrtd_k -> -inf"


def test_every_style_is_known_to_rich() -> None:
    from rich.style import Style

    for style in STYLES.values():
        Style.parse(style)
