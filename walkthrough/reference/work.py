"""Counting what the code really does: the counters stand where the arithmetic is.

Every matrix product of the reference goes through `matmul`, so a count is never a formula
about the code but a by-product of running it. `cost` has the formulas; a test holds one
against the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walkthrough.reference.computed import computed

Array = NDArray[np.floating[Any]]  # float64 in the lessons; a real model's may be narrower


@dataclass
class Work:
    """What was computed so far. A K or V row is one token's in one layer, all heads together.

    `multiply_adds` counts one multiplication together with the addition that takes it in;
    the usual FLOP counts both, so `flops` is twice that.
    """

    k_rows: int = 0
    v_rows: int = 0
    score_entries: int = 0
    multiply_adds: int = 0

    @property
    def flops(self) -> int:
        """Floating-point operations of the matrix products: two for each multiply-add."""
        return 2 * self.multiply_adds


def matmul(
    A: Array, B: Array, work: Work | None = None, names: tuple[str, str] = ("A", "B")
) -> Array:
    """A · B over the last two axes, counted in `work`.

    A: (…, n, d), B: (…, d, m) → (…, n, m). Raises ValueError, with both shapes, where the
    inner sizes differ.
    """
    if A.shape[-1] != B.shape[-2]:
        raise ValueError(
            f"{names[0]} · {names[1]}: {names[0]} has shape {A.shape} and {names[1]} {B.shape}; "
            f"the {A.shape[-1]} columns of the first must meet as many rows of the second"
        )
    product: Array = A @ B
    if work is not None:
        work.multiply_adds += product.size * A.shape[-1]
    if told := computed.get(None):
        told("matmul", product, (A, B))
    return product
