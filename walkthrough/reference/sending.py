"""Prefill in one pool, decode in another: each layer's blocks leave as soon as they are written.

`paging.handover` says which blocks; here are their numbers. The same in torch, and between
processes, is `gpu.disaggregate`.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.paging.sequence import Sequence
from walkthrough.reference.computed import computed
from walkthrough.reference.paged import PagedCache, PagedStorage
from walkthrough.reference.work import Array

# Called with a layer, and its K and V of the blocks sent: (blocks, block_size, h_kv, d_k) each.
Send = Callable[[int, Array, Array], None]


class SendingCache(PagedCache):
    """A sequence's cache where a prompt is computed in one pass; `send` is called once a layer.

    All blocks of the sequence are sent but the first `known`; those found in the sender's own
    prefix cache are among them.
    """

    def __init__(
        self,
        storage: PagedStorage,
        sequence: Sequence,
        known: int = 0,
        send: Send | None = None,
    ) -> None:
        super().__init__(storage, sequence)
        self.known, self.send = known, send

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows, K and V (n, h_kv, d_k), and send the layer's blocks."""
        super().write(layer, K, V)
        if self.send is not None:
            blocks = self.sequence.block_table[self.known :]
            sent = self.storage.K[layer, blocks], self.storage.V[layer, blocks]  # copies
            if told := computed.get(None):
                for pool, copy in zip((self.storage.K, self.storage.V), sent, strict=True):
                    for i, block in enumerate(blocks):
                        told("store", copy[i], (pool[layer, block],))
            self.send(layer, *sent)


def receive_layer(
    storage: PagedStorage, sequence: Sequence, known: int, layer: int, K: Array, V: Array
) -> None:
    """Put a layer's blocks, as `SendingCache` sends them, where the receiver's table says.

    Raises ValueError, with nothing stored, where they are not of the storage's kind.
    """
    blocks = sequence.block_table[known:]
    expected = (len(blocks), *storage.K.shape[2:])
    for name, rows in (("K", K), ("V", V)):
        if rows.shape != expected or rows.dtype != storage.K.dtype:
            raise ValueError(
                f"{name} came as {rows.shape} in {rows.dtype}, "
                f"expected {expected} in {storage.K.dtype} (blocks, block_size, h_kv, d_k)"
            )
    storage.K[layer, blocks], storage.V[layer, blocks] = K, V
    if told := computed.get(None):
        for pool, came in ((storage.K, K), (storage.V, V)):
            for i, block in enumerate(blocks):
                told("store", pool[layer, block], (came[i],))
