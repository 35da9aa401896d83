"""Where a value came from, told by the functions that computed it.

Who wants to know sets `computed`; every function of the reference then says what it did, from
which arrays. Nobody has to guess afterwards from a title or from numbers that agree.

    given    an array that an example consists of; name, head, rows, cols, edit
    matmul   (n, d), (d, m)        scale   (n, m); root: d_k       exp      (n, m)
    mask     (n, m), a mask        rowmax  (n, m)                  rowsum   (n, m)
    subtract (n, m), (n, 1)        divide  (n, m), (n, 1)          rows     (v, d); rows: which
    beside   several (n, d_k)
    same     the same numbers in another array
    store    the result's memory now holds these rows, number for number
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Protocol


class Told(Protocol):
    """Takes an operation, the array it made, the arrays it read, and its parameters."""

    def __call__(self, op: str, result: Any, inputs: tuple[Any, ...], **parameters: Any) -> None:
        """Hear of one operation, right after it."""
        ...


computed: ContextVar[Told] = ContextVar("computed")
