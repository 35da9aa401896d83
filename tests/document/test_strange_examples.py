"""Whatever an example's file holds: an example, or one clear sentence."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from helpers.strange import ODD, damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.document.example import Example
from walkthrough.document.example_checks import ExampleError
from walkthrough.document.example_file import document, load_example, parse_example

WHOLE = (Path(__file__).parents[2] / "walkthrough/document/document.toml").read_bytes()
SECONDS = 5000  # milliseconds, on a busy machine; each takes a few

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.text(max_size=5) | st.sampled_from(ODD),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
KEYS = ["title", "prompt", "eos", "d_model", "heads", "d_k", "token", "head", "output", "x"]


def read(content: bytes) -> Example | None:
    """The example, None where it is refused: nothing else may come of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.toml")
        path.write_bytes(content)
        try:
            return load_example(path)
        except ExampleError as error:
            for language in ("ko", "en"):
                assert len(error.text(language)) < 1500
            return None


@given(damaged(WHOLE))
@settings(deadline=SECONDS, max_examples=150)
def test_a_damaged_example_is_read_or_refused(content: bytes) -> None:
    if (example := read(content)) is not None:
        assert example.embedding.shape == (len(example.tokens), example.d_model)
        assert np.isfinite(example.embedding).all()
        assert set(example.prompt) <= set(example.tokens)


@given(st.binary(max_size=60) | st.lists(st.sampled_from(ODD)).map("".join).map(str.encode))
@settings(deadline=SECONDS, max_examples=60)
def test_noise_is_refused(content: bytes) -> None:
    assert read(content) is None


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(c):08x}" for c in value) + '"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


@given(st.sampled_from(KEYS), VALUES)
@settings(deadline=SECONDS, max_examples=100)
def test_any_value_under_any_key(key: str, value: Any) -> None:
    lines = [line for line in WHOLE.decode().splitlines() if not line.startswith(f"{key} =")]
    text = f"{toml(key)} = {toml(value)}\n" + "\n".join(lines)
    try:
        found = parse_example(text, "x.toml")
    except ExampleError as error:
        assert "\n" not in error.text("ko").partition("TOML")[0]
    else:
        assert found.tokens == document().tokens
