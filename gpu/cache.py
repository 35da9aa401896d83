"""The cache that a model sees: `extend`, `write`, `attend`, as in `reference.cache.KVCache`.

`BatchCache` feeds tokens of many sequences at once, as a scheduler's step asks for;
`PagedCache` is the same for a single sequence.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

import torch
from torch import Tensor

from gpu.attention import Backend, make_backend
from gpu.batch import Batch, make_batch
from gpu.storage import PagedStorage, Slots
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.cache import check_roll_back


class BatchCache:
    """Sequences that are fed together: their tokens stand one behind the other."""

    def __init__(self, storage: PagedStorage, backend: Backend | None = None) -> None:
        self.storage = storage
        self.backend = backend or make_backend("gather")
        self._feed: SequenceOf[tuple[Sequence, int]] = ()
        self._batch: Batch | None = None
        self._slots: Slots | None = None

    def fed(self, feed: SequenceOf[tuple[Sequence, int]]) -> Batch:
        """Take it that the last n tokens of each sequence have got their slots.

        What follows, `write` and `attend` once a layer, is about these tokens.
        """
        for sequence, _ in feed:
            check_fits(self.storage, sequence)
        self._batch = make_batch(feed, self.storage.device)
        mapping = [
            slot for sequence, n in feed for slot in sequence.slot_mapping(len(sequence) - n)
        ]
        self._slots, self._feed = self.storage.locate(mapping), list(feed)
        return self._batch

    def write(self, layer: int, K: Tensor, V: Tensor) -> None:
        """Store a layer's rows of the fed tokens: K and V (n, h_kv, d_k).

        Rows that are refused give all their slots back. Whether they are finite is not asked
        here: the processor would wait for the device once a layer.
        """
        if self._slots is None:
            raise ValueError("no token has been fed yet")
        try:
            self.storage.write(layer, self._slots, K, V)
        except ValueError:
            self.take_back()
            raise

    def take_back(self) -> None:
        """Give the fed tokens' slots back: their rows will not come."""
        for sequence, n in self._feed:
            sequence.truncate(len(sequence) - n, written=False)
        self.forget()

    def forget(self) -> None:
        """Nothing is fed any more: `write` and `attend` wait for the next tokens."""
        self._feed, self._batch, self._slots = (), None, None

    def attend(self, layer: int, Q: Tensor) -> Tensor:
        """Causal attention of the fed tokens, each over its own sequence: (n, h, d_k) → same."""
        self.storage.check_layer(layer)
        if self._batch is None:
            raise ValueError("no token has been fed yet")
        out, _ = self.backend.attend(
            Q, self.storage.K[layer], self.storage.V[layer], self._batch, lse=False
        )
        return out


class PagedCache:
    """One sequence's view of a paged storage: the same interface as the other caches."""

    def __init__(
        self, storage: PagedStorage, sequence: Sequence, backend: Backend | None = None
    ) -> None:
        check_fits(storage, sequence)
        self.storage, self.sequence = storage, sequence
        self._fed = BatchCache(storage, backend)

    @property
    def num_computed_tokens(self) -> int:
        """Tokens whose rows are stored, or found in the prefix cache."""
        return len(self.sequence)

    def extend(self, token_ids: SequenceOf[int]) -> None:
        """Give the tokens slots; copies shared blocks that are about to be written."""
        self.storage.copy_blocks(self.sequence.append(token_ids))
        self.fed(len(token_ids))

    def fed(self, n: int) -> None:
        """Take it that the sequence's last n tokens have got their slots."""
        self._fed.fed([(self.sequence, n)])

    def write(self, layer: int, K: Tensor, V: Tensor) -> None:
        """Store a layer's rows in the slots taken last: K and V (n, h_kv, d_k).

        Rows that are refused give those slots back. Whether they are finite is asked here, so that
        the processor waits for the device once a layer: who decodes at speed takes `BatchCache`.
        """
        try:
            check_finite(K, V)
        except ValueError:
            self.take_back()
            raise
        self._fed.write(layer, K, V)

    def take_back(self) -> None:
        """Give the slots taken last back: their rows will not come."""
        self._fed.take_back()

    def roll_back(self, n: int) -> None:
        """Take back the last n tokens, as the sequence does it: slots alone, no row is touched."""
        check_roll_back(n, len(self.sequence))
        self.sequence.roll_back(n)
        self._fed.forget()

    def attend(self, layer: int, Q: Tensor) -> Tensor:
        """Causal attention of the last n tokens over all stored: (n, h, d_k) → (n, h, d_k)."""
        return self._fed.attend(layer, Q)

    def fork(self) -> PagedCache:
        """A cache with the same tokens in the same blocks."""
        return PagedCache(self.storage, self.sequence.fork(), self._fed.backend)

    def free(self) -> None:
        """Give all blocks back."""
        self.sequence.free()


def check_fits(storage: PagedStorage, sequence: Sequence) -> None:
    """Raise ValueError where a sequence's blocks are not the storage's."""
    if storage.block_size != sequence.block_size:
        raise ValueError(
            f"the storage has blocks of {storage.block_size}, the sequence of {sequence.block_size}"
        )
    if storage.num_blocks < sequence.pool.num_blocks:
        raise ValueError(
            f"the storage has {storage.num_blocks} blocks, the pool {sequence.pool.num_blocks}"
        )


def check_finite(K: Tensor, V: Tensor) -> None:
    """Raise ValueError, with the place, where a row is not finite; it waits for the device once."""
    if torch.isfinite(K).all() & torch.isfinite(V).all():
        return
    for name, rows in (("K", K), ("V", V)):
        finite = torch.isfinite(rows)
        if rows.dim() > 1:  # of another number of axes, the storage speaks
            finite = finite.flatten(1).all(1)  # (n,)
        if not finite.all():
            token = int((~finite).nonzero()[0])
            raise ValueError(f"{name} is not finite in the row of new token {token}")
