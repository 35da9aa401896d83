"""Holding what a learner's code gives against what it should give, and naming the place.

`check.py` of an exercise calls `same` and `raises`; the first difference ends the check. Places
are written as code, so that one check serves all languages:

    same("scores", mine.scores(Q, K), A.raw_scores(Q, K), tokens, tokens)

fails with `scores[나는][학교에]: expected 0.7071, got 0.5000`.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from walkthrough.display.number import number

RELATIVE, ABSOLUTE = 1e-6, 1e-8  # another order of summation differs by far less
AxisLabels = Sequence[object]


class MismatchError(Exception):
    """Something is not as expected: `kind` and `fields` choose and fill the sentence."""

    def __init__(self, kind: str, **fields: str) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass
class Refusal:
    """What is known of a call that raised an error; the error carries it as `refusal`."""

    call: str = ""
    changed: list[tuple[str, Any, Any]] = field(default_factory=list)  # argument, before, after
    expected: tuple[str, str] | None = None  # the place, and the error that should have come


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
    if got is None and expected is not None:
        raise MismatchError("nothing", place=place, expected=brief(expected))
    _same(place, got, expected, labels, (relative, absolute))


def _same(
    place: str,
    got: Any,
    expected: Any,
    labels: tuple[AxisLabels, ...],
    tolerance: tuple[float, float],
) -> None:
    """The same for what was returned and for its entries, of which None is one like any other."""
    if isinstance(expected, tuple):
        plain = all(isinstance(number, Real) for number in expected)
        as_many_results(place, got, len(expected), labels[0] if labels else (), plain)
    if (numbers := _numbers(expected)) is not None and got is not None:
        _same_numbers(place, got, expected, numbers, labels, tolerance)
    elif isinstance(expected, dict):
        if not isinstance(got, dict) or got.keys() != expected.keys():
            raise _differ(place, got, expected)
        for key, value in expected.items():
            _same(f"{place}[{key!r}]", got[key], value, (), tolerance)
    elif isinstance(expected, list | tuple):
        if not isinstance(got, list | tuple | np.ndarray) or len(got) != len(expected):
            raise _differ(place, got, expected)
        entries = labels[0] if labels else range(len(expected))
        for entry, a, b in zip(entries, got, expected, strict=True):
            _same(f"{place}[{entry}]", a, b, labels[1:], tolerance)
    elif not _equal(got, expected):
        raise _differ(place, got, expected)


def raises(
    error: type[Exception],
    place: str,
    call: Callable[..., Any],
    *arguments: Any,
    state: Callable[[], Mapping[str, Any]] = dict,
) -> None:
    """Raise MismatchError where the call raises nothing, or changes something and then raises.

    Other errors pass through. `state` gives by name what has to stay besides the arguments.
    """
    before = kept(dict(state()))
    try:
        got = call(*arguments)
    except error as raised:
        unchanged(place, raised)
        for name, value in state().items():
            if not alike(value, before[name]):
                raise _half_done(place, raised, name, before[name], value) from raised
        return
    except Exception as other:
        not_instead(other, place, error.__name__)
        raise
    raise MismatchError("raises", place=place, expected=error.__name__, got=brief(got))


def unchanged(place: str, error: Exception) -> None:
    """Raise MismatchError where a watched call changed an argument and raised this error."""
    for name, before, after in refusal_of(error).changed:
        raise _half_done(place, error, name, before, after) from error


def not_instead(error: Exception, place: str, expected: str) -> None:
    """Note on an error that another one should have come."""
    error.__dict__["refusal"] = refusal = refusal_of(error)
    refusal.expected = place, expected


def refusal_of(error: BaseException) -> Refusal:
    """What is known of the call that raised an error."""
    found = error.__dict__.get("refusal")
    return found if isinstance(found, Refusal) else Refusal()


def _half_done(place: str, error: Exception, name: str, before: Any, after: Any) -> MismatchError:
    fields = {"expected": brief(before, 60), "got": brief(after, 60)}
    return MismatchError("half", place=place, error=type(error).__name__, name=name, **fields)


def kept(value: Any) -> Any:
    """A copy of arrays and of what lists, tuples and dictionaries hold."""
    if isinstance(value, dict):
        return {key: kept(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(kept, value))
    if isinstance(value, tuple):
        return tuple(map(kept, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def alike(a: Any, b: Any) -> bool:
    """Whether two values are the same to the last bit, and arrays of the same kind."""
    if isinstance(a, np.ndarray):
        same_kind = isinstance(b, np.ndarray) and a.dtype == b.dtype
        return same_kind and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    return a is b or _equal(a, b)


def as_many_results(
    place: str, got: Any, expected: int, names: AxisLabels = (), plain: bool = False
) -> None:
    """Raise MismatchError where there are more or fewer; `plain` ones may come as one array."""
    row = plain and isinstance(got, np.ndarray) and got.ndim > 0
    count = len(got) if row or isinstance(got, list | tuple) else 1
    if count != expected:
        said = f" ({', '.join(map(str, names))})" if names else ""
        counts = {"expected": str(expected), "got": str(count)}
        raise MismatchError("count", place=place, names=said, **counts)


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
        short = wanted.ndim == found.ndim == 1 or not isinstance(got, np.ndarray)
        if not wanted.ndim or (isinstance(expected, list | tuple) and short):  # show it whole
            raise _differ(place, got, expected)
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
        if isinstance(value, list | tuple) and len(value) > 200:
            value = [*value[:40], ...]
        text = number(value, 4) if isinstance(value, float) else repr(_plain(value))
        text = " ".join(text.split())
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _plain(value: Any) -> Any:
    """Lists and arrays alike as lists of Python's own numbers, rounded to be read."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return (list if isinstance(value, list) else tuple)(map(_plain, value))
    return round(value, 4) if isinstance(value, float) and math.isfinite(value) else value
