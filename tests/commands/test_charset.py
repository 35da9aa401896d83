"""What strangers wrote, on its way to a terminal."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.display.charset import Charset, cut_short, escaped, on_one_line
from walkthrough.display.screen import Screen
from walkthrough.display.table import Table

NASTY = "a\x1b[2J\x9b\x07\r\u202eb\u200b\u2028\ufeff\udce9\U000e0041c"


@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "ascii"])
def test_what_steers_a_terminal_is_spelled_out(encoding: str) -> None:
    shown = Charset(encoding).readable(NASTY)
    expected = r"a\x1b[2J\x9b\x07\r\u202eb\u200b\u2028\ufeff\udce9\U000e0041c"
    assert shown == expected


@given(st.text())
def test_only_line_ends_and_tabs_are_left_of_what_is_not_seen(text: str) -> None:
    joiners = "\u200c\u200d"
    for character in Charset("utf-8").readable(text):
        category = unicodedata.category(character)
        assert category not in ("Cc", "Cs", "Zl", "Zp") or character in "\n\t"
        bidirectional = unicodedata.bidirectional(character)
        assert bidirectional not in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI")
        assert character not in "\u200b\u2060\ufeff\u00ad"
    assert escaped(joiners + "가나 é\n\t") == joiners + "가나 é\n\t"


def test_a_row_of_a_table_stays_a_row() -> None:
    out = io.StringIO()
    cells = [["a\nb\tc\x1b[2J"], ["x"]]
    Screen(out).table(Table("t\nu", cells, rows=["1\n2", "3"], cols=["c\nd"]))
    lines = out.getvalue().splitlines()
    assert len(lines) == 5
    assert r"a b c\x1b[2J" in lines[3]


def test_what_is_very_long_is_cut() -> None:
    assert on_one_line("x" * 2000, 2000) == "x" * 2000
    assert len(on_one_line("x" * 2001, 2000)) == 2000
    assert cut_short("k" * 81) == "k" * 79 + "…"
    assert cut_short("k" * 80) == "k" * 80
