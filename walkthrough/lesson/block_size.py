"""The block size that a lesson's code sets, and the same code with another one."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterable

from walkthrough.lesson.reading import Lesson
from walkthrough.lesson.recording import RecordedStep, Recorder, Statement, record
from walkthrough.lesson.running import LessonCodeError

BLOCK_SIZE_NAMES = ("size", "block_size")  # what lessons call it
SIZES = (2, 3, 4)  # that a reader can try


def block_size(steps: Iterable[RecordedStep]) -> int | None:
    """The block size that a lesson's code sets, if it does."""
    for step in steps:
        for item in step.items:
            if isinstance(item, Statement) and (found := _constant(item.source)):
                return int(ast.literal_eval(found))
    return None


def other_sizes(
    lesson: Lesson, steps: Iterable[RecordedStep], precision: int
) -> dict[int, list[RecordedStep]]:
    """The same lesson with other block sizes, where its code sets one and nothing breaks."""
    found: dict[int, list[RecordedStep]] = {}
    if lesson.needs or (own := block_size(steps)) is None:
        return found  # what runs a real model is not run three times for a slider
    for size in SIZES:
        if size != own:
            with contextlib.suppress(LessonCodeError):  # a lesson's pool may be too small for it
                found[size] = record(lesson, Recorder(precision=precision), with_block_size(size))
    return found


def _constant(source: str) -> ast.Constant | None:
    """The number that a statement gives to the block size: the 2 of `size, dims = 2, …`."""
    statement = ast.parse(source).body[0]
    if not isinstance(statement, ast.Assign):
        return None
    target, value = statement.targets[0], statement.value
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    for name, given in pairs:
        if isinstance(name, ast.Name) and name.id in BLOCK_SIZE_NAMES:
            return given if isinstance(given, ast.Constant) and type(given.value) is int else None
    return None


def with_block_size(size: int) -> Callable[[str], str]:
    """Rewrites statements so that another block size is put in."""

    def rewrite(source: str) -> str:
        found = _constant(source)
        if found is None or found.end_col_offset is None:
            return source
        lines = source.encode().split(b"\n")  # offsets count bytes
        line = lines[found.lineno - 1]
        before, after = line[: found.col_offset], line[found.end_col_offset :]
        lines[found.lineno - 1] = before + str(size).encode() + after
        return b"\n".join(lines).decode()

    return rewrite
