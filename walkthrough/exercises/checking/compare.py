"""Holding what a learner's code gives against what it should give, and naming the place.

`check.py` of an exercise calls `same` and `raises`; the first difference ends the check. Places
are written as code, so that one check serves all languages:

    same("scores", mine.scores(Q, K), A.raw_scores(Q, K), tokens, tokens)

fails with `scores[나는][학교에]: expected 0.7071, got 0.5000`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from walkthrough.display.table import number

RELATIVE, ABSOLUTE = 1e-6, 1e-8  # another order of summation differs by far less
AxisLabels = Sequence[object]


class MismatchError(Exception):
    """Something is not as expected: `kind` and `fields` choose and fill the sentence."""

    def __init__(self, kind: str, **fields: str) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


def same(
    place: str,
    got: Any,
    expected: Any,
    *labels: AxisLabels,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
) -> None:
    """Raise MismatchError where `got` is not `expected`: numbers within a tolerance.

    `labels` name the entries of each axis; an axis without them is counted from 0. Numbers may
    come as lists, tuples or arrays of any kind.
    """
    tolerance = relative, absolute
    if got is None and expected is not None:
        raise MismatchError("nothing", place=place, expected=brief(expected))
    if (wanted := _numbers(expected)) is not None:
        _same_numbers(place, got, expected, wanted, labels, tolerance)
    elif isinstance(expected, dict):
        if not isinstance(got, dict) or got.keys() != expected.keys():
            raise _differ(place, got, expected)
        for key, value in expected.items():
            same(f"{place}[{key!r}]", got[key], value, relative=relative, absolute=absolute)
    elif isinstance(expected, list | tuple):
        if not isinstance(got, list | tuple | np.ndarray) or len(got) != len(expected):
            raise _differ(place, got, expected)
        names = labels[0] if labels else range(len(expected))
        for name, a, b in zip(names, got, expected, strict=True):
            inner = f"{place}[{name}]"
            same(inner, a, b, *labels[1:], relative=relative, absolute=absolute)
    elif not _equal(got, expected):
        raise _differ(place, got, expected)


def raises(error: type[Exception], place: str, call: Callable[..., Any], *arguments: Any) -> None:
    """Raise MismatchError where the call raises nothing; other errors pass through."""
    try:
        got = call(*arguments)
    except error:
        return
    raise MismatchError("raises", place=place, expected=error.__name__, got=brief(got))


def _equal(got: Any, expected: Any) -> bool:
    try:
        return bool(got == expected)
    except Exception:  # an `__eq__` of the learner's, or an array
        return False


def _numbers(value: Any) -> np.ndarray | None:
    """The value as an array of numbers, or None where it is anything else."""
    if isinstance(value, str | bytes | dict | set) or value is None:
        return None
    try:
        array = np.asarray(value)
        if array.dtype == object and all(isinstance(item, Real) for item in array.flat):
            array = array.astype(np.float64)
    except Exception:  # ragged, texts, or an object of the learner's that will not be an array
        return None
    return array if array.dtype.kind in "biuf" else None


def _same_numbers(
    place: str,
    got: Any,
    expected: Any,
    wanted: np.ndarray,
    labels: tuple[AxisLabels, ...],
    tolerance: tuple[float, float],
) -> None:
    found = _numbers(got)
    if found is None:
        raise MismatchError("type", place=place, expected=brief(expected), got=brief(got))
    if found.shape != wanted.shape:
        if isinstance(expected, list | tuple) and wanted.ndim == 1 and found.ndim == 1:
            raise _differ(place, found.tolist(), expected)  # a block table: show it whole
        shapes = {"expected": str(wanted.shape), "got": str(found.shape)}
        raise MismatchError("shape", place=place, **shapes)
    relative, absolute = tolerance
    close = np.isclose(found, wanted, rtol=relative, atol=absolute, equal_nan=True)
    if close.all():
        return
    index = tuple(int(i) for i in np.argwhere(~close)[0])
    named = itertools.zip_longest(index, labels)
    name = place + "".join(f"[{names[i] if names else i}]" for i, names in named if i is not None)
    a, b = _figures(wanted[index].item(), found[index].item())
    raise MismatchError("value", place=name, expected=a, got=b)


def _figures(expected: float, got: float) -> tuple[str, str]:
    """Both as text, with four decimals, or as many as it takes to tell them apart."""
    if isinstance(expected, bool):
        return str(expected), str(bool(got)) if got in (0, 1) else number(got, 4)
    precision = 4
    while precision < 15 and f"{expected:.{precision}f}" == f"{got:.{precision}f}":
        precision += 1
    return number(expected, precision), number(got, precision)


def _differ(place: str, got: Any, expected: Any) -> MismatchError:
    return MismatchError("value", place=place, expected=brief(expected), got=brief(got))


def brief(value: Any, limit: int = 120) -> str:
    """A value in one line of bounded length, whatever its own `__repr__` does."""
    try:
        if isinstance(value, np.ndarray):
            value = value.tolist() if value.size <= 40 else f"array of shape {value.shape}"
        elif isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, list | tuple) and len(value) > 200:
            value = [*value[:40], ...]
        text = " ".join((number(value, 4) if isinstance(value, float) else repr(value)).split())
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
