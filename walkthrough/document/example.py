"""The example as data: tokens, embeddings and weights, from a TOML file.

`document.toml` beside this file is the document's own example; a teacher's file has the same
form, with any tokens, d_model, heads and d_k. What is optional in it:

    title             default: the file's name
    origin            where a part comes from (default "file")
    [output] W_O      default: the identity, where heads · d_k = d_model
    [output] W_vocab  default: the embeddings transposed ("tied", as many real models have it)
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from walkthrough.reference.computed import computed
from walkthrough.reference.model import Layer, Model
from walkthrough.reference.work import Array

LARGEST_NUMBER = 1e3  # beyond it, the scores of a toy have more digits than a line has room for


class ExampleError(ValueError):
    """A file that is not an example: names the file, the key and what is wrong with it.

    `kind` and `fields` say the same in a form that can be put into another language.
    """

    TEXTS: ClassVar[dict[str, str]] = {
        "unreadable": "cannot be read: {reason}",
        "encoding": "is not UTF-8 text (byte {position})",
        "syntax": "is not valid TOML: {reason}",
        "missing": "is missing",
        "unknown": "is not a key of an example; known here: {known}",
        "whole": "must be a whole number from 1, got {got}",
        "text": "must be a text, got {got}",
        "table": "must be a table, got {got}",
        "tables": "must be a list of tables, [[{name}]], got {got}",
        "tokens": "must be a list of tokens, got {got}",
        "numbers": "must be a list of numbers, got {got}",
        "rows": "must be a list of rows of numbers, got {got}",
        "count": "expected {expected} ({name}), got {got}",
        "shape": "expected shape {expected} ({names}), got {got}",
        "ragged": "row {row} has {got} numbers, the first row has {expected}",
        "number": "must hold numbers only, got {got} at {place}",
        "finite": "must hold finite numbers, got {got} at {place}",
        "large": "must hold numbers of at most {limit} either way, got {got} at {place}",
        "empty": "must not be empty",
        "few": "must be at least 2 tokens, got {got}",
        "duplicate": "{token} stands twice (token {first} and token {second})",
        "unprintable": "must be one line of printable text, got {got}",
        "stranger": "{token} is not one of the tokens: {known}",
        "square": "is needed where heads · d_k = {got} is not d_model = {expected}",
    }

    def __init__(self, file: str, key: str, kind: str, **fields: object) -> None:
        self.file, self.key, self.kind, self.fields = file, key, kind, fields
        super().__init__(self.text(self.TEXTS))

    def text(self, texts: dict[str, str]) -> str:
        """The sentence, from a table of texts like `TEXTS`."""
        place = f"{self.file}: {self.key}" if self.key else self.file
        return f"{place}: {texts[self.kind].format(**self.fields)}"


@dataclass(frozen=True)
class Example:
    """Tokens, embeddings and weights of a small attention model, each with its origin."""

    title: str
    tokens: tuple[str, ...]  # the vocabulary: a token's id is its place
    prompt: tuple[str, ...]
    eos: str
    embedding: Array  # (vocabulary, d_model)
    W_Q: Array  # (h, d_model, d_k)
    W_K: Array  # (h, d_model, d_k)
    W_V: Array  # (h, d_model, d_k)
    W_O: Array  # (h · d_k, d_model)
    W_vocab: Array  # (d_model, vocabulary)
    token_origins: tuple[str, ...]
    head_origins: tuple[str, ...]
    output_origin: str

    @property
    def d_model(self) -> int:
        """Numbers in an embedding."""
        return int(self.embedding.shape[1])

    @property
    def heads(self) -> int:
        """Attention heads."""
        return len(self.W_Q)

    @property
    def d_k(self) -> int:
        """Numbers in a row of Q, K or V of one head."""
        return int(self.W_Q.shape[2])

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Token ids of texts; a text that is no token raises ValueError."""
        for token in (tokens := list(tokens)):
            if token not in self.tokens:
                known = ", ".join(self.tokens)
                raise ValueError(f"{token!r} is not one of the tokens: {known}")
        return [self.tokens.index(token) for token in tokens]

    def texts(self, ids: Iterable[int]) -> list[str]:
        """Texts of token ids."""
        return [self.tokens[i] for i in ids]

    def embed(self, tokens: Sequence[str]) -> Array:
        """Embeddings of tokens, a row each: (n, d_model)."""
        ids = self.ids(tokens)
        rows: Array = self.embedding[ids]
        if told := computed.get(None):
            told("rows", rows, (self.embedding,), rows=ids)
        return rows

    def tell(self, *, edit: bool) -> None:
        """Say what is given, to who wants to know; `edit`: the lesson computes with it."""
        if not (told := computed.get(None)):
            return
        told("given", self.embedding, (), name="X", rows=self.tokens, edit=edit)
        for name in ("W_Q", "W_K", "W_V"):
            for i, W in enumerate(getattr(self, name)):
                told("given", W, (), name=name, head=i, heads=self.heads, edit=edit)
        told("given", self.W_O, (), name="W_O", edit=edit)
        told("given", self.W_vocab, (), name="W_vocab", cols=self.tokens, edit=edit)

    @cached_property
    def model(self) -> Model:
        """The same numbers as a model of one layer that can generate."""
        layer = Layer(self.W_Q, self.W_K, self.W_V, self.W_O)
        return Model(self.embedding, (layer,), self.W_vocab, self.ids([self.eos])[0])


def document() -> Example:
    """The document's example: 나는 학교에 간다, d_model = 4, d_k = 2."""
    made = load_example(Path(__file__).with_name("document.toml"))
    made.tell(edit=False)  # the text's own numbers stay as they are
    return made


def load_example(path: str | Path) -> Example:
    """An example from a TOML file; anything wrong with it raises `ExampleError`."""
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ExampleError(str(path), "", "unreadable", reason=error.strerror) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExampleError(str(path), "", "encoding", position=error.start) from error
    return parse_example(text, str(path))


def parse_example(text: str, file: str) -> Example:
    """An example from the text of a TOML file; errors name `file`."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # too many digits or brackets are these, too
        raise ExampleError(file, "", "syntax", reason=error) from error
    return _Reader(file).example(data)


class _Reader:
    """Turns parsed TOML into an `Example`, checking each key where it is read."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, key: str, kind: str, **fields: object) -> ExampleError:
        return ExampleError(self.file, key, kind, **fields)

    @staticmethod
    def brief(value: object) -> str:
        """A value as a message can carry it: its repr, cut where it is long."""
        try:
            text = repr(value)
        except (ValueError, RecursionError):  # an integer of thousands of digits
            return f"a very long {type(value).__name__}"
        return text if len(text) <= 60 else text[:56] + " ..."

    @staticmethod
    def names(known: Sequence[str]) -> str:
        """Names in a row, the first dozen of them where there are many."""
        return ", ".join(known[:12]) + (f", ... ({len(known)} in all)" if len(known) > 12 else "")

    def example(self, data: dict[str, Any]) -> Example:
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
            raise self.fail("eos", "stranger", token=self.brief(eos), known=self.names(tokens))
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

    def known_keys(self, table: dict[str, Any], prefix: str, known: Sequence[str]) -> None:
        for key in table:
            if key not in known:
                raise self.fail(f"{prefix}{key}", "unknown", known=self.names(known))

    def value(self, table: dict[str, Any], key: str, name: str) -> Any:
        if key not in table:
            raise self.fail(name, "missing")
        return table[key]

    def size(self, data: dict[str, Any], key: str) -> int:
        value = self.value(data, key, key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.fail(key, "whole", got=self.brief(value))
        return value

    def text(self, table: dict[str, Any], key: str, name: str) -> str:
        value = self.value(table, key, name)
        if not isinstance(value, str):
            raise self.fail(name, "text", got=self.brief(value))
        if not value.strip():
            raise self.fail(name, "empty")
        if not value.isprintable():  # a tab or a line's end would break every table
            raise self.fail(name, "unprintable", got=self.brief(value))
        return value

    def table(self, value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.fail(name, "table", got=self.brief(value))
        return value

    def tables(self, data: dict[str, Any], key: str, known: Sequence[str]) -> list[dict[str, Any]]:
        value = self.value(data, key, key)
        if not isinstance(value, list):
            raise self.fail(key, "tables", name=key, got=self.brief(value))
        if not value:
            raise self.fail(key, "empty")
        for i, table in enumerate(value, 1):
            self.known_keys(self.table(table, f"{key}[{i}]"), f"{key}[{i}].", known)
        return value

    def token_texts(self, tables: list[dict[str, Any]]) -> tuple[str, ...]:
        places: dict[str, int] = {}
        for i, table in enumerate(tables, 1):
            token = self.text(table, "text", f"token[{i}].text")
            if token in places:
                raise self.fail(
                    f"token[{i}].text",
                    "duplicate",
                    token=self.brief(token),
                    first=places[token],
                    second=i,
                )
            places[token] = i
        return tuple(places)

    def prompt(self, data: dict[str, Any], tokens: Sequence[str]) -> tuple[str, ...]:
        prompt = self.value(data, "prompt", "prompt")
        if not isinstance(prompt, list):
            raise self.fail("prompt", "tokens", got=self.brief(prompt))
        if not prompt:
            raise self.fail("prompt", "empty")
        for token in prompt:
            if token not in tokens:
                raise self.fail(
                    "prompt", "stranger", token=self.brief(token), known=self.names(tokens)
                )
        return tuple(prompt)

    def origins(self, tables: list[dict[str, Any]], key: str) -> tuple[str, ...]:
        return tuple(
            self.text({"origin": "file"} | table, "origin", f"{key}[{i}].origin")
            for i, table in enumerate(tables, 1)
        )

    def array(
        self, table: dict[str, Any], key: str, name: str, shape: tuple[int, ...], names: str
    ) -> Array:
        """A list of numbers, or of equally long rows of them, of just the shape expected."""
        value = self.value(table, key, name)
        rows = value if len(shape) == 2 else [value]
        if not isinstance(value, list) or not all(isinstance(row, list) for row in rows):
            raise self.fail(name, "numbers" if len(shape) == 1 else "rows", got=self.brief(value))
        for i, row in enumerate(rows, 1):
            if len(row) != len(rows[0]):
                raise self.fail(name, "ragged", row=i, got=len(row), expected=len(rows[0]))
            for j, number in enumerate(row, 1):
                place = f"[{i}][{j}]" if len(shape) == 2 else f"[{j}]"
                self.number(number, name, place)
        got = (len(value), len(rows[0])) if len(shape) == 2 and value else (len(value),)
        if got != shape:
            raise self.fail(name, "shape", expected=shape, names=names, got=got)
        return np.array(value, dtype=np.float64)

    def number(self, number: Any, name: str, place: str) -> None:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self.fail(name, "number", got=self.brief(number), place=place)
        if isinstance(number, float) and not np.isfinite(number):
            raise self.fail(name, "finite", got=self.brief(number), place=place)
        if abs(number) > LARGEST_NUMBER:
            raise self.fail(
                name, "large", got=self.brief(number), place=place, limit=f"{LARGEST_NUMBER:,.0f}"
            )
