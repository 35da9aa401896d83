"""What may stand under a key of an example's file, and what is said where it does not."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from walkthrough.display.charset import cut_short
from walkthrough.document.words import EXAMPLE_ERRORS
from walkthrough.reference.work import Array

LARGEST_NUMBER = 1e3  # beyond it, the scores of a toy have more digits than a line has room for


class ExampleError(ValueError):
    """A file that is not an example: names the file, the key and what is wrong with it.

    `kind` and `fields` say the same in a form that can be put into another language.
    """

    def __init__(self, file: str, key: str, kind: str, **fields: object) -> None:
        self.file, self.key, self.kind, self.fields = file, key, kind, fields
        super().__init__(self.text("en"))

    def text(self, language: str) -> str:
        """The sentence in a language."""
        place = f"{self.file}: {cut_short(self.key)}" if self.key else self.file
        return f"{place}: {EXAMPLE_ERRORS[language][self.kind].format(**self.fields)}"


def short_repr(value: object) -> str:
    """A value as a message can carry it: its repr, cut where it is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= 60 else text[:56] + " ..."


def listed(known: Sequence[str]) -> str:
    """Names in a row, the first dozen of them where there are many."""
    return ", ".join(cut_short(name, 40) for name in known[:12]) + (
        f", ... ({len(known)} in all)" if len(known) > 12 else ""
    )


class Checks:
    """Values under keys of parsed TOML, each checked; what is wrong raises `ExampleError`."""

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, key: str, kind: str, **fields: object) -> ExampleError:
        """The error about a key, to be raised."""
        return ExampleError(self.file, key, kind, **fields)

    def known_keys(self, table: dict[str, Any], prefix: str, known: Sequence[str]) -> None:
        """Raise where a table has other keys than these."""
        for key in table:
            if key not in known:
                raise self.fail(f"{prefix}{key}", "unknown", known=listed(known))

    def value(self, table: dict[str, Any], key: str, name: str) -> Any:
        """What stands under a key, which must be there; `name` is what the key is called."""
        if key not in table:
            raise self.fail(name, "missing")
        return table[key]

    def size(self, data: dict[str, Any], key: str) -> int:
        """A whole number from 1."""
        value = self.value(data, key, key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.fail(key, "whole", got=short_repr(value))
        return value

    def text(self, table: dict[str, Any], key: str, name: str) -> str:
        """A line of text that can be printed; what looks the same is spelled the same (NFC)."""
        value = self.value(table, key, name)
        if not isinstance(value, str):
            raise self.fail(name, "text", got=short_repr(value))
        if not value.strip():
            raise self.fail(name, "empty")
        if not value.isprintable():  # a tab or a line's end would break every table
            raise self.fail(name, "unprintable", got=short_repr(value))
        return unicodedata.normalize("NFC", value)

    def table(self, value: Any, name: str) -> dict[str, Any]:
        """A table."""
        if not isinstance(value, dict):
            raise self.fail(name, "table", got=short_repr(value))
        return value

    def tables(self, data: dict[str, Any], key: str, known: Sequence[str]) -> list[dict[str, Any]]:
        """One table or more, with no other keys than these."""
        value = self.value(data, key, key)
        if not isinstance(value, list):
            raise self.fail(key, "tables", name=key, got=short_repr(value))
        if not value:
            raise self.fail(key, "empty")
        for i, table in enumerate(value, 1):
            self.known_keys(self.table(table, f"{key}[{i}]"), f"{key}[{i}].", known)
        return value

    def array(
        self, table: dict[str, Any], key: str, name: str, shape: tuple[int, ...], names: str
    ) -> Array:
        """A list of numbers, or of equally long rows of them, of just the shape expected."""
        value = self.value(table, key, name)
        rows = value if len(shape) == 2 else [value]
        if not isinstance(value, list) or not all(isinstance(row, list) for row in rows):
            raise self.fail(name, "numbers" if len(shape) == 1 else "rows", got=short_repr(value))
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
        """Raise where it is no finite number of a size to print."""
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise self.fail(name, "number", got=short_repr(number), place=place)
        if isinstance(number, float) and not np.isfinite(number):
            raise self.fail(name, "finite", got=short_repr(number), place=place)
        if abs(number) > LARGEST_NUMBER:
            raise self.fail(
                name, "large", got=short_repr(number), place=place, limit=f"{LARGEST_NUMBER:,.0f}"
            )
