"""One interface for every K/V cache, and its first two implementations.

`NoCache` keeps nothing between two calls, so all tokens must be fed again each time;
`ContiguousCache` keeps every row in one reserved piece of memory. A model only sees the
interface: what it computes is the same, what it has to compute is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from walkthrough.reference.attention import attend_heads, causal_mask
from walkthrough.reference.computed import computed
from walkthrough.reference.work import Array, Work


class CacheFullError(Exception):
    """More tokens than the cache has room for; nothing was stored."""


class LayerCache(Protocol):
    """What a forward pass asks for, once a layer, about tokens that have their places already."""

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows of the n tokens: K and V (n, h_kv, d_k)."""
        ...

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Causal attention of the n new tokens over all that is stored: (n, h, d_k) → same."""
        ...

    def take_back(self) -> None:
        """Give the new tokens' places back: their rows will not come."""
        ...


class KVCache(LayerCache, Protocol):
    """Keys and values of one sequence: `layers` times rows of (h_kv, d_k) a token.

    For each forward pass: `extend(token_ids)` once, then `write` and `attend` once a layer.
    The ids are for caches that share rows between equal prefixes; the others count them.
    """

    @property
    def num_computed_tokens(self) -> int:
        """How many tokens need not be fed again: their rows are stored."""
        ...

    def extend(self, token_ids: Sequence[int]) -> None:
        """Make room for n more tokens. Raises, with nothing changed, where there is none."""
        ...

    def roll_back(self, n: int) -> None:
        """Take back the last n tokens, guesses that turned out wrong: others are written there."""
        ...


def check_layer(layer: int, layers: int) -> None:
    """Raise ValueError where there is no such layer: −1 would quietly be the last one."""
    if not 0 <= layer < layers:
        raise ValueError(f"layer {layer} is not one of 0 … {layers - 1}")


def check_roll_back(n: int, stored: int) -> None:
    """Raise ValueError where n of the stored tokens cannot be taken back."""
    if not 0 <= n <= stored:
        raise ValueError(f"cannot take back {n} of {stored} stored tokens")


def check_rows(
    K: Array, V: Array, expected: tuple[int, ...], dtype: DTypeLike | None = None
) -> None:
    """Raise ValueError, with both shapes or the place, where rows are not to be stored.

    With a dtype, they must be finite in that one: 70,000 is not in float16.
    """
    for name, rows in (("K", K), ("V", V)):
        if rows.shape != expected:
            raise ValueError(f"{name} has shape {rows.shape}, expected {expected} (n, h_kv, d_k)")
        with np.errstate(over="ignore"):
            finite = np.isfinite(rows if dtype is None else rows.astype(dtype, copy=False))
        if not finite.all():
            token = int(np.argwhere(~finite)[0][0])
            raise ValueError(f"{name} is not finite in the row of new token {token}")


class NoCache:
    """Keeps the rows of the tokens being fed now, and forgets them at the next `extend`."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[Array, Array]] = {}
        self._new = 0

    @property
    def num_computed_tokens(self) -> int:
        """Always 0: everything has to be fed again."""
        return 0

    def extend(self, token_ids: Sequence[int]) -> None:
        """Forget all; the tokens start from position 0."""
        self._rows.clear()
        self._new = len(token_ids)

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Hold a layer's rows for `attend`: K and V (n, h_kv, d_k)."""
        check_rows(K, V, (self._new, *K.shape[1:]))
        self._rows[layer] = K, V

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Causal attention of all tokens over all tokens: (n, h, d_k) → (n, h, d_k)."""
        K, V = self._rows[layer]
        return attend_heads(Q, K, V, causal_mask(len(Q), len(K)), work)

    def take_back(self) -> None:
        """Forget the tokens: their rows will not come."""
        self.extend(())

    def roll_back(self, n: int) -> None:
        """Nothing is kept, so that there is nothing to be taken back."""
        check_roll_back(n, 0)


class ContiguousCache:
    """One reserved piece of memory: K and V (layers, capacity, h_kv, d_k), filled from slot 0.

    Slots not written yet hold NaN, so that one that reached a result would be seen.
    """

    def __init__(
        self,
        capacity: int,
        d_k: int,
        *,
        layers: int = 1,
        h_kv: int = 1,
        dtype: DTypeLike = np.float64,
    ) -> None:
        sizes = {"capacity": capacity, "d_k": d_k, "layers": layers, "h_kv": h_kv}
        for name, size in sizes.items():
            if size < 1:
                raise ValueError(f"{name} must be at least 1, got {size}")
        self.K: Array = np.full((layers, capacity, h_kv, d_k), np.nan, dtype)
        self.V: Array = np.full_like(self.K, np.nan)
        self.capacity = capacity
        self._length = 0
        self._new = 0  # of those, how many the last `extend` added

    @property
    def num_computed_tokens(self) -> int:
        """How many slots are taken."""
        return self._length

    def extend(self, token_ids: Sequence[int]) -> None:
        """Take a slot for each token. Raises `CacheFullError` where fewer are left."""
        n = len(token_ids)
        if self._length + n > self.capacity:
            raise CacheFullError(
                f"the K/V cache is full: capacity {self.capacity} tokens, {self._length} stored, "
                f"no room for {n} more"
            )
        self._length += n
        self._new = n

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows in the slots taken last: K and V (n, h_kv, d_k).

        Rows that are refused give those slots back.
        """
        try:
            check_layer(layer, len(self.K))
            check_rows(K, V, (self._new, *self.K.shape[2:]), self.K.dtype)
        except ValueError:
            self.take_back()
            raise
        slots = slice(self._length - self._new, self._length)
        self.K[layer, slots] = K
        self.V[layer, slots] = V
        if told := computed.get(None):
            told("store", self.K[layer, slots], (K,))
            told("store", self.V[layer, slots], (V,))

    def take_back(self) -> None:
        """Give the slots taken last back: their rows will not come."""
        self._length, self._new = self._length - self._new, 0

    def roll_back(self, n: int) -> None:
        """Give the last n slots back: the next tokens are written over them."""
        check_roll_back(n, self._length)
        self._length, self._new = self._length - n, 0

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Causal attention of the last n tokens over all stored: (n, h, d_k) → (n, h, d_k)."""
        check_layer(layer, len(self.K))
        K, V = self.K[layer, : self._length], self.V[layer, : self._length]  # (m, h_kv, d_k)
        return attend_heads(Q, K, V, causal_mask(len(Q), len(K)), work)

    # One layer, one head: the two verbs of the lessons, on plain (n, d_k) matrices.

    def prefill(self, K: Array, V: Array) -> None:
        """Store a whole prompt, K and V (n, d_k), in an empty cache of one layer and head."""
        if self._length:
            raise ValueError(f"prefill needs an empty cache, {self._length} tokens are stored")
        self._append_rows(K, V)

    def append(self, k: Array, v: Array) -> None:
        """Store one more token, k and v (d_k,), in a cache of one layer and head."""
        self._append_rows(k[None, :], v[None, :])

    def _append_rows(self, K: Array, V: Array) -> None:
        layers, _, h_kv, _ = self.K.shape
        if (layers, h_kv) != (1, 1):
            raise ValueError(
                f"prefill and append are for one layer and one K/V head, not {layers} and {h_kv}: "
                "use extend and write"
            )
        self.extend(range(len(K)))  # which tokens they are does not matter here
        self.write(0, K[:, None, :], V[:, None, :])

    def rows(self) -> tuple[Array, Array]:
        """What is stored, as K and V (m, d_k) of layer 0, head 0: views, not copies."""
        return self.K[0, : self._length, 0], self.V[0, : self._length, 0]
