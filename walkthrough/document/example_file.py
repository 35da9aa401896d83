"""An example from a TOML file.

`document.toml` beside this file is the document's own example; a teacher's file has the same
form, with any tokens, d_model, heads and d_k. What is optional in it:

    title             default: the file's name
    origin            where a part comes from (default "file")
    [output] W_O      default: the identity, where heads · d_k = d_model
    [output] W_vocab  default: the embeddings transposed ("tied", as many real models have it)
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from walkthrough.document.example import Example
from walkthrough.document.example_checks import Checks, ExampleError, listed, short_repr
from walkthrough.reasons import Reason

LARGEST_FILE = 1_000_000  # bytes; the document's example has two thousand
DEEPEST = 100  # parts of a key: memory for them grows with the square of their number
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
DEEP_KEY = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST}}}")


def document() -> Example:
    """The document's example: 나는 학교에 간다, d_model = 4, d_k = 2."""
    made = load_example(Path(__file__).with_name("document.toml"))
    made.tell(edit=False)  # the text's own numbers stay as they are
    return made


def load_example(path: str | Path) -> Example:
    """An example from a TOML file; anything wrong with it raises `ExampleError`."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a pipe would be waited for
            raise ExampleError(str(path), "", "not a file")
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ExampleError(str(path), "", "unreadable", reason=Reason(error)) from error
    if len(raw) > LARGEST_FILE:
        raise ExampleError(str(path), "", "too long", most=LARGEST_FILE)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExampleError(str(path), "", "encoding", position=error.start) from error
    return parse_example(text, str(path))


def parse_example(text: str, file: str) -> Example:
    """An example from the text of a TOML file; errors name `file`."""
    if DEEP_KEY.search(text):
        raise ExampleError(file, "", "deep", most=DEEPEST)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # too many digits or brackets are these, too
        raise ExampleError(file, "", "syntax", reason=error) from error
    return _Reader(file).example(data)


class _Reader(Checks):
    """Turns parsed TOML into an `Example`, checking each key where it is read."""

    def example(self, data: dict[str, Any]) -> Example:
        """The example."""
        keys = ("title", "prompt", "eos", "d_model", "heads", "d_k", "token", "head", "output")
        self.known_keys(data, "", keys)
        d_model, heads, d_k = (self.size(data, key) for key in ("d_model", "heads", "d_k"))
        token_tables = self.tables(data, "token", ("text", "embedding", "origin"))
        head_tables = self.tables(data, "head", ("W_Q", "W_K", "W_V", "origin"))
        if len(head_tables) != heads:
            raise self.fail("head", "count", expected=heads, name="heads", got=len(head_tables))
        tokens = self.token_texts(token_tables)
        if len(tokens) < 2:
            raise self.fail("token", "few", got=len(tokens))
        prompt = self.prompt(data, tokens)
        eos = self.text(data, "eos", "eos")
        if eos not in tokens:
            raise self.fail("eos", "stranger", token=short_repr(eos), known=listed(tokens))
        embedding = np.stack(
            [
                self.array(table, "embedding", f"token[{i}].embedding", (d_model,), "d_model")
                for i, table in enumerate(token_tables, 1)
            ]
        )
        weights = {
            name: np.stack(
                [
                    self.array(table, name, f"head[{i}].{name}", (d_model, d_k), "d_model × d_k")
                    for i, table in enumerate(head_tables, 1)
                ]
            )
            for name in ("W_Q", "W_K", "W_V")
        }
        out = self.table(data.get("output", {}), "output")
        self.known_keys(out, "output.", ("W_O", "W_vocab", "origin"))
        if "W_O" in out:
            W_O = self.array(
                out, "W_O", "output.W_O", (heads * d_k, d_model), "heads · d_k × d_model"
            )
        elif heads * d_k == d_model:
            W_O = np.eye(d_model)
        else:
            raise self.fail("output.W_O", "square", expected=d_model, got=heads * d_k)
        if "W_vocab" in out:
            shape, names = (d_model, len(tokens)), "d_model × tokens"
            W_vocab = self.array(out, "W_vocab", "output.W_vocab", shape, names)
        else:
            W_vocab = embedding.T.copy()
        return Example(
            title=self.text(data, "title", "title") if "title" in data else Path(self.file).stem,
            tokens=tokens,
            prompt=prompt,
            eos=eos,
            embedding=embedding,
            **weights,
            W_O=W_O,
            W_vocab=W_vocab,
            token_origins=self.origins(token_tables, "token"),
            head_origins=self.origins(head_tables, "head"),
            output_origin=self.text({"origin": "file"} | out, "origin", "output.origin"),
        )

    def token_texts(self, tables: list[dict[str, Any]]) -> tuple[str, ...]:
        """The tokens' texts, each different."""
        places: dict[str, int] = {}
        for i, table in enumerate(tables, 1):
            token = self.text(table, "text", f"token[{i}].text")
            if token in places:
                alike = table["text"] != tables[places[token] - 1]["text"]
                raise self.fail(
                    f"token[{i}].text",
                    "alike" if alike else "duplicate",
                    token=short_repr(token),
                    first=places[token],
                    second=i,
                )
            places[token] = i
        return tuple(places)

    def prompt(self, data: dict[str, Any], tokens: Sequence[str]) -> tuple[str, ...]:
        """The prompt, of tokens that there are."""
        prompt = self.value(data, "prompt", "prompt")
        if not isinstance(prompt, list):
            raise self.fail("prompt", "tokens", got=short_repr(prompt))
        if not prompt:
            raise self.fail("prompt", "empty")
        found = [unicodedata.normalize("NFC", t) if isinstance(t, str) else t for t in prompt]
        for token in found:
            if token not in tokens:
                raise self.fail("prompt", "stranger", token=short_repr(token), known=listed(tokens))
        return tuple(found)

    def origins(self, tables: list[dict[str, Any]], key: str) -> tuple[str, ...]:
        """Where each of the tables comes from."""
        return tuple(
            self.text({"origin": "file"} | table, "origin", f"{key}[{i}].origin")
            for i, table in enumerate(tables, 1)
        )
