"""Several sequences through a model at once: their new tokens stand one behind the other.

The weights are read once for all rows; only attention is each sequence's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.reference.cache import KVCache, LayerCache
from walkthrough.reference.model import LanguageModel, extend
from walkthrough.reference.work import Array, Work


class BatchCache:
    """The caches of several sequences as one, for a forward pass over tokens of all of them.

    `query_start_loc` are the places where each sequence's rows begin, and the end of the last.
    """

    def __init__(self, caches: Sequence[LayerCache], lengths: Sequence[int]) -> None:
        self.query_start_loc = [0, *np.cumsum(lengths).tolist()]
        starts, ends = self.query_start_loc[:-1], self.query_start_loc[1:]
        self._parts = [
            (cache, slice(a, b)) for cache, a, b in zip(caches, starts, ends, strict=True)
        ]

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows, each sequence its own: K and V (n, h_kv, d_k).

        Where one sequence's rows are refused, all give their slots back.
        """
        try:
            for cache, rows in self._parts:
                cache.write(layer, K[rows], V[rows])
        except ValueError:
            self.take_back()
            raise

    def take_back(self) -> None:
        """Give the slots taken last back, every sequence its own."""
        for cache, _ in self._parts:
            cache.take_back()

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Attention of each sequence's rows over its own cache: (n, h, d_k) → (n, h, d_k)."""
        return np.concatenate([cache.attend(layer, Q[rows], work) for cache, rows in self._parts])


def next_logits_each(
    model: LanguageModel,
    fed: Sequence[Sequence[int]],
    caches: Sequence[KVCache],
    work: Work | None = None,
) -> Array:
    """Feed each sequence its tokens; the last row of logits of each: (sequences, vocabulary).

    Where one cannot be fed, none is.
    """
    positions: list[list[int]] = []
    try:
        for token_ids, cache in zip(fed, caches, strict=True):
            positions.append(extend(model, token_ids, cache))
    except Exception:  # no room, or no such token: nobody is fed
        for cache in caches[: len(positions)]:
            cache.take_back()
        raise
    return logits_each(model, fed, positions, caches, work)


def logits_each(
    model: LanguageModel,
    fed: Sequence[Sequence[int]],
    positions: Sequence[Sequence[int]],
    caches: Sequence[LayerCache],
    work: Work | None = None,
) -> Array:
    """The same where the caches have made room for the tokens already."""
    batch = BatchCache(caches, [len(token_ids) for token_ids in fed])
    all_ids = [token for token_ids in fed for token in token_ids]
    all_positions = [position for some in positions for position in some]
    hidden = model.hidden(all_ids, all_positions, batch, work)  # (tokens of all, d_model)
    last = np.array(batch.query_start_loc[1:]) - 1
    return model.logits(hidden[last], work)
