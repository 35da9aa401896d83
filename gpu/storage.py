"""K and V of a whole pool of blocks as two torch tensors, driven by the same block tables.

Matching signatures with `walkthrough.reference.paged.PagedStorage`: only the arrays are others,
and writes, copies and swaps of many blocks are one operation each.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from gpu import memory
from walkthrough.paging.sequence import Copy

Layout = Literal["HND", "NHD"]  # what lies in memory within a block: heads first, or slots first
COPIED_AT_ONCE = 64 << 20  # bytes of K that a batch of block copies holds beside the pools


@dataclass(frozen=True)
class Slots:
    """Where the rows of a step go, on the storage's device; the same for every layer."""

    count: int  # rows that `write` expects
    rows: Tensor | None  # (n,) int64, which of them are written; None: all
    block: Tensor  # (n,) int64
    offset: Tensor  # (n,) int64


class PagedStorage:
    """K and V of a pool: (layers, blocks, block_size, h_kv, d_k) each, whatever lies in memory.

    Heads first (HND) is what a CPU reads fastest, head by head; slots first (NHD) is what
    `flex_attention` and `varlen_attn` take without a copy. Slots not written yet hold `fill`,
    by default NaN, so that one that reached a result would be seen. `pinned`: in host memory
    that a GPU copies to and from directly, the place to swap to.
    """

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        d_k: int,
        *,
        layers: int = 1,
        h_kv: int = 1,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
        layout: Layout = "HND",
        fill: float = float("nan"),
        pinned: bool = False,
    ) -> None:
        shape = (layers, num_blocks, block_size, h_kv, d_k)
        self.check_sizes(*shape)
        self.device = torch.device(device)
        self.layout: Layout = layout
        memory.require(
            storage_bytes(num_blocks, block_size, d_k, layers=layers, h_kv=h_kv, dtype=dtype),
            self.device,
        )

        def pool() -> Tensor:
            if layout == "NHD":
                return torch.full(shape, fill, dtype=dtype, device=device, pin_memory=pinned)
            heads_first = (layers, num_blocks, h_kv, block_size, d_k)
            memory_order = torch.full(
                heads_first, fill, dtype=dtype, device=device, pin_memory=pinned
            )
            return memory_order.transpose(2, 3)  # a view of the shape above

        self.K, self.V = pool(), pool()

    @staticmethod
    def check_sizes(layers: int, num_blocks: int, block_size: int, h_kv: int, d_k: int) -> None:
        """Raise ValueError where a size is below 1."""
        for name, count in (
            *(("layers", layers), ("num_blocks", num_blocks), ("block_size", block_size)),
            *(("h_kv", h_kv), ("d_k", d_k)),
        ):
            if count < 1:
                raise ValueError(f"{name} must be at least 1, got {count}")

    @property
    def block_size(self) -> int:
        """Slots in a block."""
        return self.K.shape[2]

    @property
    def num_blocks(self) -> int:
        """Blocks in the pool, the null block included."""
        return self.K.shape[1]

    @property
    def layers(self) -> int:
        """Layers of K and V."""
        return self.K.shape[0]

    @property
    def nbytes(self) -> int:
        """Bytes of both pools."""
        return self.K.nbytes + self.V.nbytes

    @property
    def arrays(self) -> tuple[Tensor, ...]:
        """All that a block consists of, (layers, blocks, …) each: what is copied with it."""
        return self.K, self.V

    def locate(self, slot_mapping: SequenceOf[int]) -> Slots:
        """The mapping checked and brought to the device, once for all layers; −1 is left out."""
        slots = torch.tensor(slot_mapping, dtype=torch.int64)  # 32 bits end at 2^31 slots
        size = self.num_blocks * self.block_size
        if ((slots < -1) | (slots >= size)).any():
            raise ValueError(f"the slots {slots.tolist()} are not all within -1 … {size - 1}")
        rows = None
        if (slots < 0).any():  # torch would read −1 as the last slot
            rows = (slots >= 0).nonzero().squeeze(1)
            slots = slots[rows]
            rows = rows.to(self.device)
        slots = slots.to(self.device)
        return Slots(len(slot_mapping), rows, slots // self.block_size, slots % self.block_size)

    def write(self, layer: int, slots: Slots | SequenceOf[int], K: Tensor, V: Tensor) -> None:
        """Row i of K and V (n, h_kv, d_k) goes to slot i of the mapping; −1 writes nothing."""
        self.check_layer(layer)
        if not isinstance(slots, Slots):
            slots = self.locate(slots)
        expected = (slots.count, *self.K.shape[3:])
        for name, rows, pool in (("K", K, self.K), ("V", V, self.V)):
            if rows.shape != expected:
                raise ValueError(
                    f"{name} has shape {tuple(rows.shape)}, expected {expected} (n, h_kv, d_k)"
                )
            if rows.dtype != pool.dtype:
                raise ValueError(f"{name} is {rows.dtype}, the storage {pool.dtype}")
        if slots.rows is not None:
            K, V = K[slots.rows], V[slots.rows]
        self.put(layer, slots, K, V)

    def put(self, layer: int, slots: Slots, K: Tensor, V: Tensor) -> None:
        """Rows that were checked, and are all to be written, into these slots."""
        for rows, pool in ((K, self.K), (V, self.V)):
            pool[layer, slots.block, slots.offset] = rows

    def copy_blocks(self, copies: SequenceOf[Copy]) -> None:
        """Copy whole blocks, (source, destination) each, in every layer."""
        move_blocks(self, self, copies)

    def check_layer(self, layer: int) -> None:
        """Raise ValueError where there is no such layer: −1 would quietly be the last one."""
        if not 0 <= layer < self.layers:
            raise ValueError(f"layer {layer} is not one of 0 … {self.layers - 1}")


def storage_bytes(
    num_blocks: int,
    block_size: int,
    d_k: int,
    *,
    layers: int = 1,
    h_kv: int = 1,
    dtype: torch.dtype = torch.float32,
) -> int:
    """Bytes that a `PagedStorage` of these sizes takes: K and V."""
    return 2 * layers * num_blocks * block_size * h_kv * d_k * dtype.itemsize


def move_blocks(source: PagedStorage, target: PagedStorage, copies: SequenceOf[Copy]) -> None:
    """Copy whole blocks from one storage to another, (source, target) each, in every layer.

    ValueError where a block is not there, or the one storage keeps other numbers than the other.
    """
    kept, wanted = ([array.dtype for array in storage.arrays] for storage in (source, target))
    if kept != wanted:
        raise ValueError(f"the source keeps {kept}, the target {wanted}: no block can be copied")
    for storage, ids in (
        (source, [a for a, _ in copies]),
        (target, [b for _, b in copies]),
    ):
        if any(not 0 <= block < storage.num_blocks for block in ids):
            raise ValueError(f"the blocks {ids} are not all within 0 … {storage.num_blocks - 1}")
    for batch in _batches(source, target, copies):
        from_blocks = torch.tensor([a for a, _ in batch], device=source.device)
        to_blocks = torch.tensor([b for _, b in batch], device=target.device)
        for pool, other in zip(source.arrays, target.arrays, strict=True):
            other[:, to_blocks] = pool[:, from_blocks].to(target.device)


def _batches(
    source: PagedStorage, target: PagedStorage, copies: SequenceOf[Copy]
) -> Iterator[SequenceOf[Copy]]:
    """The copies in turn, as many at once as little memory beside the pools allows."""
    at_once = max(1, COPIED_AT_ONCE * source.num_blocks // source.K.nbytes)
    written = {b for _, b in copies}
    if source is target and any(a in written for a, _ in copies):
        at_once = 1  # a block is copied on: the order counts
    for start in range(0, len(copies), at_once):
        yield copies[start : start + at_once]
