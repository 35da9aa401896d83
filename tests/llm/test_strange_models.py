"""Whatever a GGUF file holds: a model, or one clear sentence."""

from __future__ import annotations

import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.gguf_files import write_llama
from helpers.strange import damaged
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.llm.gguf_file import GGUFFile, ModelFileError
from walkthrough.llm.loading import load_model
from walkthrough.reference.cache import NoCache
from walkthrough.reference.model import forward

SECONDS = 10_000  # milliseconds, on a busy machine; each takes some twenty


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "a.gguf"
    write_llama(path)
    return path


def check(content: bytes) -> None:
    """A model that computes, or ModelFileError."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.gguf")
        path.write_bytes(content)
        try:
            file = load_model(path)
        except ModelFileError as error:
            for language in ("ko", "en"):
                said = error.text(language).removeprefix(str(path))
                assert len(said) < 600
            return
    with np.errstate(all="ignore"):
        logits = forward(file.model, [0], NoCache())
    assert logits.shape == (1, file.model.vocabulary)
    assert isinstance(file.ids("ab 12"), list)


@given(st.data())
@settings(deadline=SECONDS, max_examples=60)
def test_a_damaged_header_is_read_or_refused(whole: Path, data: st.DataObject) -> None:
    content = whole.read_bytes()
    header = min(tensor.offset for tensor in GGUFFile(whole).tensors.values())
    check(data.draw(damaged(content[:header])) + content[header:])


PACK = {"B": 0, "b": 1, "H": 2, "h": 3, "I": 4, "i": 5, "f": 6, "?": 7, "Q": 10, "q": 11, "d": 12}


def packed(form: str, value: Any) -> bytes:
    return struct.pack("<I" + form, PACK[form], value)


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


WHOLES = st.integers(0, 70) | st.sampled_from([2**31 - 1, 2**32 - 1])
VALUES = st.one_of(
    WHOLES.map(lambda n: packed("I", n)),
    st.integers(-(2**63), 2**63 - 1).map(lambda n: packed("q", n)),
    st.floats(width=32).map(lambda x: packed("f", x)),
    st.floats().map(lambda x: packed("d", x)),
    st.booleans().map(lambda b: packed("?", b)),
    st.text(max_size=8).map(lambda t: struct.pack("<I", 8) + text(t)),
    st.lists(st.integers(0, 255), max_size=4).map(
        lambda xs: struct.pack("<IIQ", 9, 0, len(xs)) + bytes(xs)
    ),
    st.tuples(st.integers(0, 14), st.integers(0, 2**64 - 1)).map(
        lambda pair: struct.pack("<IIQ", 9, *pair)
    ),
    st.integers(0, 2**32 - 1).map(lambda kind: struct.pack("<I", kind)),
)


@given(st.data())
@settings(deadline=SECONDS, max_examples=80)
def test_any_value_under_any_key(whole: Path, data: st.DataObject) -> None:
    keys = list(GGUFFile(whole).metadata)
    more = ["general.alignment", "llama.rope.scaling.factor", "tokenizer.ggml.add_bos_token", "x"]
    key = data.draw(st.sampled_from(keys + more))
    content = whole.read_bytes()
    count = struct.unpack("<Q", content[16:24])[0]
    if key in keys:  # another name, so that it does not stand there twice
        content = content.replace(text(key), text("x" * len(key)), 1)
    entry = text(key) + data.draw(VALUES)
    entry += b"\0" * (-len(entry) % 32)  # of which the reader makes what it can
    check(content[:16] + struct.pack("<Q", count + 1) + entry + content[24:])
