"""The Triton kernels behind the common interface: which to launch, and over what."""

from __future__ import annotations

import math
from collections.abc import Sequence as SequenceOf
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gpu.attention.gather import Gather
from gpu.attention.inputs import check_inputs
from gpu.attention.launches import (
    Capability,
    Launch,
    decode_constants,
    decode_launch,
    merge_constants,
    prefill_constants,
    prefill_launch,
)
from gpu.batch import Batch
from gpu.devices import interpret_triton
from gpu.smaller.quantised import Pool, RoundedRows, as_bytes

if not torch.cuda.is_available():
    interpret_triton()
from gpu.attention import kernels
from gpu.attention.prefill_kernel import prefill_kernel

LOG2_E = 1.4426950408889634
MAX_SPLITS = 128
SPLIT_KEYS = 256  # no split has fewer keys, as long as there are enough


class PagedTriton:
    """Decode for sequences with one query, prefill for those with more.

    Launches are those of `gpu.attention.launches`, unless others are given. Where that says that
    a card has no kernel worth launching, `gather` stands in.
    """

    def __init__(
        self,
        decode: Launch | None = None,
        prefill: Launch | None = None,
        splits: int | None = None,
    ) -> None:
        self.decode, self.prefill, self.splits = decode, prefill, splits
        self._gather = Gather()

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch)
        k, v, scales = decode_pools(K, V)
        if Q.stride(2) != 1 or k.stride(3) != 1 or v.stride(3) != 1:
            raise ValueError("the d_k numbers of a row must lie side by side")
        sizes = card(Q.device).capability, Q.dtype.itemsize, Q.shape[2]
        decode = self.decode or decode_launch(*sizes)
        prefill = self.prefill or prefill_launch(*sizes)
        if scales:
            prefill = None  # a prompt's keys are read for many queries: made numbers once
        # The kernels write every row, also of a sequence without a key.
        out = torch.empty_like(Q, memory_format=torch.contiguous_format)
        sums = torch.empty(Q.shape[:2], dtype=torch.float32, device=Q.device)
        if decode is None or prefill is None:
            out.zero_()
            sums.fill_(-math.inf)
        if (rows := batch.decode_rows) is not None:
            if decode:
                self._decode(decode, Q, k, v, scales, batch, rows, out, sums)
            else:
                self._gather.attend_some(batch.decoding, Q, K, V, batch, out, sums)
        if (rows := batch.prefill_rows) is not None:
            if prefill:
                self._prefill(prefill, Q, k, v, batch, rows, out, sums)
            else:
                self._gather.attend_some(batch.prefilling, Q, K, V, batch, out, sums)
        return out, sums if lse else None

    def _decode(
        self,
        launch: Launch,
        Q: Tensor,
        K: Tensor,
        V: Tensor,
        scales: dict[str, Any],
        batch: Batch,
        rows: Tensor,
        out: Tensor,
        sums: Tensor,
    ) -> None:
        h, d_k = Q.shape[1:]
        h_kv, group = K.shape[2], h // K.shape[2]
        splits = self.splits or num_splits(batch.decoding, batch.lengths, h_kv, Q.device)
        parts, parts_lse = out, sums
        if splits > 1:  # for these rows alone, not for all of a step's tokens
            shape = (splits * len(rows), h)
            parts = torch.empty((*shape, d_k), dtype=torch.float32, device=Q.device)
            parts_lse = torch.empty(shape, dtype=torch.float32, device=Q.device)
        kernels.decode_kernel[len(rows), h_kv, splits](
            *(Q, K, V, batch.block_table, batch.seq_lens, rows, batch.query_start_loc),
            *(parts, parts_lse, LOG2_E / math.sqrt(d_k), batch.window or 0),
            *(Q.stride(0), Q.stride(1), K.stride(0), K.stride(1), K.stride(2)),
            *(V.stride(0), V.stride(1), V.stride(2), batch.block_table.stride(0)),
            *(parts.stride(0), parts.stride(1), parts_lse.stride(0)),
            **decode_constants(launch, group, K.shape[1], d_k, batch.window is not None),
            **scales,
            num_warps=launch.num_warps,
            num_stages=launch.num_stages,
        )
        if splits > 1:
            kernels.merge_splits_kernel[len(rows), h](
                *(parts, parts_lse, out, sums, rows, batch.query_start_loc, splits),
                *(parts.stride(0), parts.stride(1), parts_lse.stride(0)),
                *(out.stride(0), out.stride(1), sums.stride(0)),
                **merge_constants(d_k),
            )

    def _prefill(
        self,
        launch: Launch,
        Q: Tensor,
        K: Tensor,
        V: Tensor,
        batch: Batch,
        rows: Tensor,
        out: Tensor,
        sums: Tensor,
    ) -> None:
        h, d_k = Q.shape[1:]
        h_kv, group = K.shape[2], h // K.shape[2]
        query_tiles = -(-max(batch.query_lens) * group // launch.rows)
        prefill_kernel[query_tiles, h_kv, len(rows)](
            *(Q, K, V, batch.block_table, batch.seq_lens, rows, batch.query_start_loc),
            *(out, sums, LOG2_E / math.sqrt(d_k), batch.window or 0),
            *(Q.stride(0), Q.stride(1), K.stride(0), K.stride(1), K.stride(2)),
            *(V.stride(0), V.stride(1), V.stride(2), batch.block_table.stride(0)),
            *(out.stride(0), out.stride(1), sums.stride(0)),
            **prefill_constants(launch, group, K.shape[1], d_k, batch.window is not None),
            num_warps=launch.num_warps,
            num_stages=launch.num_stages,
        )


def decode_pools(K: Pool, V: Pool) -> tuple[Tensor, Tensor, dict[str, Any]]:
    """K and V as the decode kernel reads them, and what else it is to know about codes."""
    if not (isinstance(K, RoundedRows) and isinstance(V, RoundedRows)):
        assert isinstance(K, Tensor) and isinstance(V, Tensor)
        return K, V, {}
    if K.scales.stride() != V.scales.stride():
        raise ValueError("the scales of K and V must lie alike in memory")
    whole = K.codes.dtype == torch.int8
    block, slot, head = K.scales.stride()
    scales: dict[str, Any] = {"CODES": 1 if whole else 2, "k_scales": K.scales}
    steps = {"s_block": block, "s_slot": slot, "s_head": head}
    return as_bytes(K.codes), as_bytes(V.codes), scales | {"v_scales": V.scales} | steps


class Card(NamedTuple):
    """What the launches depend on."""

    capability: Capability | None  # None: Triton's interpreter
    processors: int


@cache
def card(device: torch.device) -> Card:
    """A device's capability and multiprocessors; asked once, not once a layer."""
    if device.type != "cuda":
        return Card(None, 1)
    found = torch.cuda.get_device_properties(device)
    return Card((found.major, found.minor), found.multi_processor_count)


def num_splits(
    decoding: SequenceOf[int], lengths: SequenceOf[int], h_kv: int, device: torch.device
) -> int:
    """Into how many splits the keys are cut: enough to fill the device, none too short.

    It depends on the longest of the sequences that decode, so it stays the same while a CUDA
    graph is replayed.
    """
    wanted = -(-4 * card(device).processors // (len(decoding) * h_kv))
    longest = max(lengths[i] for i in decoding)
    return max(1, min(wanted, -(-longest // SPLIT_KEYS), MAX_SPLITS))
