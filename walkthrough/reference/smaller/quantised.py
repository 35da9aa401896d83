"""K and V of a pool in 8 or 4 bits, a scale for each token and head: the same block tables.

A row is rounded when it is written, on its own: tokens come one at a time, and a scale for each
channel would have to change with every one. When attention reads a block, codes become numbers
again. So only the storage differs; tables, sharing, copies and swapping are what they were.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkthrough.reference.paged import PagedStorage
from walkthrough.reference.smaller.rounding import LEVELS, SCALE_BYTES, quantised
from walkthrough.reference.work import Array


class RoundedRows:
    """One layer's pool of K or V, or all layers': codes and scales that read as numbers.

    Scales of slots never written are NaN, so that one that reached a result would be seen.
    """

    def __init__(self, codes: NDArray[np.int8], scales: Array, bits: int, dtype: DTypeLike) -> None:
        self.codes, self.scales, self.bits = codes, scales, bits
        self.shape, self.dtype = codes.shape, np.dtype(dtype)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def nbytes(self) -> int:
        """Bytes of codes and scales; two codes of 4 bits share a byte in an engine's memory."""
        return int(self.codes.size * self.bits // 8 + self.scales.size * SCALE_BYTES)

    def layer(self, index: int) -> RoundedRows:
        """A layer of all layers' pool."""
        return RoundedRows(self.codes[index], self.scales[index], self.bits, self.dtype)

    def __getitem__(self, index: Any) -> Array:
        rows: Array = (self.codes[index] * self.scales[index]).astype(self.dtype)
        return rows

    def put(self, index: Any, rows: Array) -> None:
        """Round rows (n, h_kv, d_k), each with a scale of its own, and store them."""
        found = quantised(rows.astype(self.dtype), self.bits, -1, self.scales.dtype)
        self.codes[index], self.scales[index] = found.codes, found.scales


class QuantisedStorage(PagedStorage):
    """A `PagedStorage` whose K and V are whole numbers of `bits` bits, with float32 scales.

    (layers, blocks, block_size, h_kv, d_k); what is read is off by half a scale at most, and a
    scale is the row's largest magnitude ÷ 127, or ÷ 7.
    """

    K: RoundedRows  # type: ignore[assignment]
    V: RoundedRows  # type: ignore[assignment]

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        d_k: int,
        *,
        layers: int = 1,
        h_kv: int = 1,
        dtype: DTypeLike = np.float64,
        bits: int = 8,
    ) -> None:
        if bits not in LEVELS:
            raise ValueError(f"{bits} bits are not known here; known: 8, 4")
        shape = (layers, num_blocks, block_size, h_kv, d_k)

        def pool() -> RoundedRows:
            scales = np.full((*shape[:-1], 1), np.nan, np.float32)
            return RoundedRows(np.zeros(shape, np.int8), scales, bits, dtype)

        self.K, self.V = pool(), pool()

    @property
    def nbytes(self) -> int:
        """Bytes of codes and scales."""
        return self.K.nbytes + self.V.nbytes

    @property
    def bytes_per_token(self) -> int:
        """K and V of a token in all layers, scales included."""
        return self.nbytes // int(self.K.shape[1] * self.block_size)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Codes and scales: a copied block is the same to the bit."""
        return self.K.codes, self.K.scales, self.V.codes, self.V.scales

    def layer(self, index: int) -> tuple[RoundedRows, RoundedRows]:
        """K and V of a layer; a block of them reads as numbers."""
        return self.K.layer(index), self.V.layer(index)

    def put(self, place: tuple[Any, ...], K: Array, V: Array) -> None:
        """Rows that were checked, into these slots."""
        self.K.put(place, K)
        self.V.put(place, V)
