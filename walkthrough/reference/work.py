"""Counting what the code really does: the counters stand where the arithmetic is.

Every matrix product of the reference goes through `matmul`, so a count is never a formula
about the code but a by-product of running it. `cost` and `roofline` have the formulas; tests
hold one against the other.

Bytes are counted for what a machine must fetch from memory however well it is programmed:
weights, once for each product they are in, however many rows go through; stored K and V, once
for each K/V head that attention reads, however many query heads share it (a paged cache reads
blocks whole, empty slots too); new K and V rows, in their own dtype, once when they are handed
over to be stored. Not counted: activations, scores, the vectors of the norms, copies of blocks.
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
    weight_bytes_read: int = 0
    kv_bytes_read: int = 0
    kv_bytes_written: int = 0

    @property
    def bytes_read(self) -> int:
        """Weights, and stored K and V."""
        return self.weight_bytes_read + self.kv_bytes_read

    @property
    def bytes_moved(self) -> int:
        """Bytes read, and K and V written."""
        return self.bytes_read + self.kv_bytes_written

    @property
    def intensity(self) -> float:
        """Arithmetic intensity: FLOPs for each byte moved; 0 where none was."""
        return self.flops / self.bytes_moved if self.bytes_moved else 0.0

    def store(self, K: Array, V: Array) -> None:
        """Count a layer's new rows, on their way to a cache: K and V (n, h_kv, d_k)."""
        self.k_rows += len(K)
        self.v_rows += len(V)
        self.kv_bytes_written += K.nbytes + V.nbytes

    @property
    def flops(self) -> int:
        """Floating-point operations of the matrix products: two for each multiply-add."""
        return 2 * self.multiply_adds


def matmul(
    A: Array,
    B: Array,
    work: Work | None = None,
    names: tuple[str, str] = ("A", "B"),
    *,
    weights: bool = True,
) -> Array:
    """A · B over the last two axes, counted in `work`; B is read as `weights`, or is none.

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
        work.weight_bytes_read += B.nbytes if weights else 0
    if told := computed.get(None):
        told("matmul", product, (A, B))
    return product
