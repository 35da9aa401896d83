"""An example written out as a commented file: read again, it is the same example."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.examples import TEACHERS, teachers_file

from walkthrough.document.example import Example
from walkthrough.document.example_file import load_example, parse_example
from walkthrough.document.template import commented
from walkthrough.document.words import COMMENTS


@pytest.mark.parametrize("language", COMMENTS)
@pytest.mark.parametrize("name", [None, *TEACHERS])
def test_the_commented_file_is_the_example(
    language: str, name: str | None, ex: Example, tmp_path: Path
) -> None:
    if name is not None:
        ex = load_example(teachers_file(TEACHERS[name], tmp_path / "mine.toml"))
    text = commented(ex, language, "x.toml")
    again = parse_example(text, "x.toml")
    assert (again.title, again.tokens, again.prompt, again.eos) == (
        ex.title, ex.tokens, ex.prompt, ex.eos,
    )  # fmt: skip
    for name in ("embedding", "W_Q", "W_K", "W_V", "W_O", "W_vocab"):
        np.testing.assert_array_equal(getattr(again, name), getattr(ex, name))
    assert text.count("#") > 8
    assert "x.toml" in text
