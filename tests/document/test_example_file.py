"""An example written out as a commented file: read again, it is the same example."""

from __future__ import annotations

import os
import tracemalloc
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from helpers.examples import TEACHERS, teachers_file

from walkthrough.document import example_file
from walkthrough.document.example import Example
from walkthrough.document.example_checks import ExampleError
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


BUILT_IN = (Path(example_file.__file__).parent / "document.toml").read_text("utf-8")
APART = unicodedata.normalize("NFD", "학교에")


def test_one_word_in_two_spellings_is_one_word(ex: Example) -> None:
    assert APART != "학교에"
    for text in (BUILT_IN.replace("학교에", APART), BUILT_IN.replace("학교에", APART, 1)):
        again = parse_example(text, "x.toml")
        assert (again.title, again.tokens, again.prompt) == (ex.title, ex.tokens, ex.prompt)
    assert ex.ids(["나는", APART]) == [0, 1]
    mixed = BUILT_IN.replace('text = "간다"', f'text = "{APART}"')
    with pytest.raises(ExampleError, match=r"stands twice, spelled in two ways in Unicode") as said:
        parse_example(mixed, "x.toml")
    assert (said.value.key, said.value.kind) == ("token[3].text", "alike")


@pytest.mark.parametrize(
    "key",
    [
        "a." * 100_000 + "a",
        "[" + "a ." * 100_000 + "a]\nb",
        '"=".' * 100_000 + "a",
        "'#\"'\t.\t" * 100_000 + "a",
        "x = {" + "a.-." * 50_000 + "a = 1}\ny",
    ],
)
def test_a_deep_key_takes_no_memory(key: str) -> None:
    tracemalloc.start()
    with pytest.raises(ExampleError, match="a key has 100 parts at the most"):
        parse_example(f"{key} = 1\n{BUILT_IN}", "x.toml")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("noise", ["a" * 900_000, '"' * 900_000, "'a" * 450_000, "a " * 450_000])
def test_noise_takes_no_time(noise: str) -> None:
    with pytest.raises(ExampleError, match="not valid TOML"):
        parse_example(noise, "x.toml")


def test_files_are_read_up_to_a_size_and_only_files(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(BUILT_IN + "#" * (example_file.LARGEST_FILE - 1000), encoding="utf-8")
    assert path.stat().st_size > example_file.LARGEST_FILE
    with pytest.raises(ExampleError, match="1,000,000 bytes at the most"):
        load_example(path)
    path.write_text(BUILT_IN + "#" * 900_000, encoding="utf-8")
    load_example(path)
    others = [tmp_path]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        others += [tmp_path / "pipe", Path("/dev/zero")]
    for other in others:
        with pytest.raises(ExampleError, match="is not an ordinary file"):
            load_example(other)


def test_long_keys_and_escapes_make_short_sentences() -> None:
    with pytest.raises(ExampleError) as said:
        parse_example(f'"\\u001b[2J{"k" * 5000}" = 1\n{BUILT_IN}', "x.toml")
    assert len(str(said.value)) < 300
