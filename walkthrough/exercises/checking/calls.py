"""A learner's functions, called with copies of the arguments, which are compared afterwards.

`watched` is what `check.py` and the doctests get of a learner's module. A call then has sentences
of its own: for other parameters than the exercise has, for an argument that was changed, and, of
an error, for what the function was called with. What may be changed, `check.py` says:

    CHANGES = {"append": ("block_table", "free_blocks")}
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from walkthrough.exercises.checking.compare import MismatchError, Refusal, alike, brief, kept
from walkthrough.exercises.find import definitions


def watched(mine: ModuleType, stub: str, changes: Mapping[str, Collection[str]]) -> SimpleNamespace:
    """The names of a learner's module; the functions and methods that the stub has are watched."""
    names = SimpleNamespace(**vars(mine))
    running: list[str] = []
    for name, node in definitions(stub).items():
        if isinstance(node, ast.FunctionDef):
            owner, _, last = name.rpartition(".")
            home = getattr(mine, owner) if owner else names
            function = vars(home).get(last)
            if isinstance(function, FunctionType) or (callable(function) and not owner):
                setattr(home, last, _watch(name, function, node, changes.get(name, ()), running))
    return names


def _watch(
    name: str,
    function: Callable[..., Any],
    node: ast.FunctionDef,
    may_change: Collection[str],
    running: list[str],
) -> Callable[..., Any]:
    names = [argument.arg for argument in node.args.args]
    signature = None
    with contextlib.suppress(TypeError, ValueError):  # one that NumPy has, say
        signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        if running:  # what functions of a learner's do with one another is his affair
            return function(*values, **named)
        if signature is not None:
            try:
                signature.bind(*values, **named)
            except TypeError:
                wanted, found = f"{name}({ast.unparse(node.args)})", f"{name}{signature}"
                raise MismatchError("parameters", expected=wanted, got=found) from None
        values = tuple(map(_handed, values))
        named = {key: _handed(value) for key, value in named.items()}
        given = dict(zip(names, values, strict=False)) | named
        before = kept(given)
        running.append(name)
        try:
            result = function(*values, **named)
        except Exception as error:
            changed = [(n, before[n], given[n]) for n in given if not alike(given[n], before[n])]
            error.__dict__["refusal"] = Refusal(spoken(name, before), changed)
            raise
        finally:
            running.pop()
        for key, value in given.items():
            if key not in may_change and not alike(value, before[key]):
                raise MismatchError("changed", place=spoken(name, before), name=key)
        return result

    return call


def _handed(value: Any) -> Any:
    """What a learner's function gets: arrays are copied. Lists it may have to change in place."""
    if isinstance(value, tuple):
        return tuple(map(_handed, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def spoken(name: str, given: Mapping[str, Any]) -> str:
    """A call in one line, arrays by their shapes: `scores(Q: (2, 5), K: (3, 5))`."""
    said = []
    for key, value in given.items():
        if isinstance(value, np.ndarray):
            said.append(f"{key}: {value.shape}")
        elif callable(value):
            said.append(key)
        elif key != "self":
            said.append(f"{key}={brief(value, 60)}")
    text = f"{name}({', '.join(said)})"
    return text if len(text) <= 160 else text[:159] + "…"
