"""Heads of tables in Korean: where all of it is known, else as it stands."""

from __future__ import annotations

import pytest

from walkthrough.display.table_heads import table_word


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        ("tokens", "토큰"),
        ("K cache", "K 캐시"),
        ("block 3", "블록 3"),
        ("32 heads", "헤드 32개"),
        ("8 heads", "헤드 8개"),
        ("1,024 tokens", "토큰 1,024개"),
        ("2 bytes", "2바이트"),
        ("one head", "one head"),
        ("Llama-3 8B", "Llama-3 8B"),
    ],
)
def test_what_is_known_is_said_in_korean(english: str, korean: str) -> None:
    assert table_word(english, "ko") == korean
    assert table_word(english, "en") == english
