"""Multi-head latent attention: a token stores one short row, from which all heads' K and V come.

DeepSeek-V2 (2024), section 2.1. The row has d_c numbers c = h · W_DKV, the latent, and d_r numbers
of a key that is turned by the position (RoPE) and shared by all heads. Two ways give the same:

    naive      K and V of every head are computed from c, and attended: h K/V heads
    absorbed   W_UK goes into the query, W_UV behind the weighted sum: c itself is the one K/V head
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkthrough.reference.paged import PagedStorage
from walkthrough.reference.work import Array

Rotate = Callable[[Array, NDArray[np.int64]], Array]  # (n, …, d_r) and n positions → (n, …, d_r)


def quarter_turns(rows: Array, positions: NDArray[np.int64]) -> Array:
    """Each pair (x, y) turned by a quarter for each position: RoPE in whole numbers."""
    turned = np.array(rows, copy=True)
    for row, position in zip(turned, positions, strict=True):
        for _ in range(int(position) % 4):
            row[..., 0::2], row[..., 1::2] = -row[..., 1::2], row[..., 0::2].copy()
    return turned


@dataclass(frozen=True)
class LatentHeads:
    """A layer's weights; queries here come from h without a latent of their own.

    W_Q (h, d, d_h), W_QR (h, d, d_r), W_DKV (d, d_c), W_KR (d, d_r), W_UK and W_UV (h, d_c, d_h).
    """

    W_Q: Array
    W_QR: Array
    W_DKV: Array
    W_KR: Array
    W_UK: Array
    W_UV: Array
    rotate: Rotate = quarter_turns

    @property
    def d_c(self) -> int:
        """Numbers of the latent."""
        return int(self.W_DKV.shape[1])

    def rows(self, X: Array, positions: NDArray[np.int64]) -> Array:
        """What n tokens store: (n, d) → (n, 1, d_c + d_r), the latent and the turned key."""
        turned = self.rotate(X @ self.W_KR, positions)
        return np.concatenate([X @ self.W_DKV, turned], axis=-1)[:, None]

    def queries(self, X: Array, positions: NDArray[np.int64]) -> Array:
        """Queries of the naive way: (n, d) → (n, h, d_h + d_r)."""
        plain, turned = (np.einsum("nd,hdk->nhk", X, W) for W in (self.W_Q, self.W_QR))
        return np.concatenate([plain, self.rotate(turned, positions)], axis=-1)

    def keys_and_values(self, rows: Array) -> tuple[Array, Array]:
        """K (m, h, d_h + d_r) and V (m, h, d_h) of every head, from stored rows (m, 1, …)."""
        latent, shared = rows[:, 0, : self.d_c], rows[:, :, self.d_c :]
        K, V = (np.einsum("mc,hck->mhk", latent, W) for W in (self.W_UK, self.W_UV))
        shared = np.broadcast_to(shared, (*K.shape[:2], shared.shape[-1]))
        return np.concatenate([K, shared], axis=-1), V

    def absorbed(self, X: Array, positions: NDArray[np.int64]) -> Array:
        """Queries that meet the stored rows themselves: (n, d) → (n, h, d_c + d_r).

        q · (c · W_UK) = (q · W_UKᵀ) · c, so W_UK is used once a query, not once a key.
        """
        queries = self.queries(X, positions)
        d_h = self.W_Q.shape[2]
        latent = np.einsum("nhk,hck->nhc", queries[..., :d_h], self.W_UK)
        return np.concatenate([latent, queries[..., d_h:]], axis=-1)

    def rescaled(self, absorbed: Array) -> Array:
        """The same, for attention that divides by √(d_c + d_r): √(d_h + d_r) is meant."""
        width = self.W_Q.shape[2] + self.W_QR.shape[2]
        return absorbed * math.sqrt(absorbed.shape[-1] / width)

    def outputs(self, mixed: Array) -> Array:
        """Weighted sums of stored rows (n, h, d_c + d_r) → each head's output (n, h, d_h)."""
        own: Array = np.einsum("nhc,hck->nhk", mixed[..., : self.d_c], self.W_UV)
        return own


class LatentStorage(PagedStorage):
    """Rows of a latent in blocks, once: what attention reads as K it reads as V, too.

    (layers, blocks, block_size, 1, d_c + d_r). Behind the same tables and `PagedCache`; of the
    output the last d_r numbers are of no use.
    """

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        width: int,
        *,
        layers: int = 1,
        dtype: DTypeLike = np.float64,
    ) -> None:
        super().__init__(num_blocks, block_size, width, layers=layers, dtype=dtype)
        self.V = self.K

    def put(self, place: tuple[Any, ...], K: Array, V: Array) -> None:
        """Rows that were checked. Raises ValueError where V is not the same as K."""
        if not np.array_equal(K, V):
            raise ValueError("a latent's row is K and V at once: give the same rows for both")
        self.K[place] = K

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The rows, once."""
        return (self.K,)

    def layer(self, index: int) -> tuple[Array, Array]:
        """One layer's rows, as K and as V: one array, so that they count as read once."""
        rows = self.K[index]
        return rows, rows
