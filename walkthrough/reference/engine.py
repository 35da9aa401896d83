"""Serving requests with a model: the scheduler decides, the engine computes.

All tokens of a step go through the model together, whoever they belong to, so the weights are
read once for all of them; only attention is each sequence's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf

import numpy as np

from walkthrough.paging.scheduler import Scheduler, Step
from walkthrough.reference.cache import KVCache
from walkthrough.reference.model import LanguageModel
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks
from walkthrough.reference.work import Array, Work


class Batch:
    """Several sequences' new tokens, one behind the other, as one cache.

    `query_start_loc` are the places where each sequence's rows begin, and the end of the last.
    """

    def __init__(self, caches: SequenceOf[KVCache], lengths: SequenceOf[int]) -> None:
        self.query_start_loc = [0, *np.cumsum(lengths).tolist()]
        starts, ends = self.query_start_loc[:-1], self.query_start_loc[1:]
        self._parts = [
            (cache, slice(a, b)) for cache, a, b in zip(caches, starts, ends, strict=True)
        ]

    @property
    def num_computed_tokens(self) -> int:
        """Of all sequences together."""
        return sum(cache.num_computed_tokens for cache, _ in self._parts)

    def extend(self, token_ids: SequenceOf[int]) -> None:
        """Make room for all tokens, each sequence for its own."""
        if len(token_ids) != self.query_start_loc[-1]:
            raise ValueError(f"{len(token_ids)} tokens, not {self.query_start_loc[-1]}")
        for cache, rows in self._parts:
            cache.extend(token_ids[rows])

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows, each sequence its own: K and V (n, h_kv, d_k)."""
        for cache, rows in self._parts:
            cache.write(layer, K[rows], V[rows])

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Attention of each sequence's rows over its own cache: (n, h, d_k) → (n, h, d_k)."""
        return np.concatenate([cache.attend(layer, Q[rows], work) for cache, rows in self._parts])


def most_likely(name: str, logits: Array) -> int:
    """The token with the largest score, whoever asks: logits (vocabulary,)."""
    return int(np.argmax(logits))


def serve(
    model: LanguageModel,
    scheduler: Scheduler,
    storage: PagedStorage,
    host: PagedStorage | None = None,
    work: Work | None = None,
    *,
    cache_type: type[PagedCache] = PagedCache,
    choose: Callable[[str, Array], int] = most_likely,
) -> Iterator[Step]:
    """Run steps until every request is finished; yields each step after it is done.

    `choose` takes a request's name and its logits, and gives the token.
    """
    while scheduler.waiting or scheduler.running:
        step = scheduler.schedule()
        if host is not None:
            move_blocks(storage, host, step.swap_out)
            move_blocks(host, storage, step.swap_in)
        caches: list[PagedCache] = []
        fed: list[int] = []
        positions: list[int] = []
        for request, token_ids in step.feed:
            assert request.sequence is not None
            caches.append(cache_type(storage, request.sequence))
            caches[-1].fed(len(token_ids))
            fed += token_ids
            end = len(request.sequence)
            positions += range(end - len(token_ids), end)
        batch = Batch(caches, [len(token_ids) for _, token_ids in step.feed])
        hidden = model.hidden(fed, positions, batch, work)  # (tokens of all, d_model)
        last = np.array(batch.query_start_loc[1:]) - 1
        logits = model.logits(hidden[last], work)  # (requests, vocabulary)
        for (request, _), row in zip(step.feed, logits, strict=True):
            assert request.sequence is not None
            if len(request.sequence) < len(request.token_ids):
                scheduler.advance(request, None)  # more of the prompt is still to come
                continue
            token = choose(request.name, row)
            scheduler.advance(request, token, done=token == model.eos)
        yield step
