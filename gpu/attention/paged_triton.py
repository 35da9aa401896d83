"""The Triton kernels behind the common interface: which to launch, and with what sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from gpu.attention.inputs import check_inputs
from gpu.batch import Batch
from gpu.devices import interpret_triton

if not torch.cuda.is_available():
    interpret_triton()
from gpu.attention import kernels

LOG2_E = 1.4426950408889634


@dataclass(frozen=True)
class Launch:
    """What a kernel is launched with; `gpu/device_check.py` sweeps it on the hardware."""

    tile: int  # keys at a time
    num_warps: int
    num_stages: int
    rows: int = 128  # prefill: (query, group) rows at a time
    dot: bool = False  # decode, group of 1: through `tl.dot` all the same


DECODE = Launch(tile=64, num_warps=4, num_stages=3)
PREFILL = Launch(tile=64, num_warps=8, num_stages=3)
MAX_SPLITS = 128
SPLIT_KEYS = 256  # no split has fewer keys, as long as there are enough


class PagedTriton:
    """Decode for sequences with one query, prefill for those with more."""

    def __init__(
        self,
        decode: Launch = DECODE,
        prefill: Launch = PREFILL,
        splits: int | None = None,
    ) -> None:
        self.decode, self.prefill, self.splits = decode, prefill, splits

    def attend(
        self, Q: Tensor, K: Tensor, V: Tensor, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch)
        if Q.stride(2) != 1 or K.stride(3) != 1 or V.stride(3) != 1:
            raise ValueError("the d_k numbers of a row must lie side by side")
        out = torch.zeros_like(Q, memory_format=torch.contiguous_format)
        sums = torch.full(Q.shape[:2], -math.inf, dtype=torch.float32, device=Q.device)
        if batch.decode_rows is not None:
            self._decode(Q, K, V, batch, batch.decode_rows, out, sums)
        if batch.prefill_rows is not None:
            self._prefill(Q, K, V, batch, batch.prefill_rows, out, sums)
        return out, sums if lse else None

    def _decode(
        self, Q: Tensor, K: Tensor, V: Tensor, batch: Batch, rows: Tensor, out: Tensor, sums: Tensor
    ) -> None:
        n, h, d_k = Q.shape
        h_kv, group = K.shape[2], h // K.shape[2]
        dot = group > 1 or self.decode.dot
        splits = self.splits or num_splits(batch, h_kv, Q.device)
        parts, parts_lse = out[None], sums[None]
        if splits > 1:
            parts = torch.empty((splits, n, h, d_k), dtype=torch.float32, device=Q.device)
            parts_lse = torch.empty((splits, n, h), dtype=torch.float32, device=Q.device)
        kernels.decode_kernel[len(rows), h_kv, splits](
            *(Q, K, V, batch.block_table, batch.seq_lens, rows, batch.query_start_loc),
            *(parts, parts_lse, LOG2_E / math.sqrt(d_k), batch.window or 0),
            *(Q.stride(0), Q.stride(1), K.stride(0), K.stride(1), K.stride(2)),
            *(V.stride(0), V.stride(1), V.stride(2), batch.block_table.stride(0)),
            *(parts.stride(0), parts.stride(1), parts.stride(2)),
            *(parts_lse.stride(0), parts_lse.stride(1)),
            GROUP=group,
            ROWS=max(16, power_of_two(group)) if dot else 1,
            BLOCK_SIZE=K.shape[1],
            D=d_k,
            D_PAD=max(16, power_of_two(d_k)),
            TILE=self.decode.tile,
            SPLITS=splits,
            WINDOW=batch.window is not None,
            DOT=dot,
            num_warps=self.decode.num_warps,
            num_stages=self.decode.num_stages,
        )
        if splits > 1:
            kernels.merge_splits_kernel[len(rows), h](
                *(parts, parts_lse, out, sums, rows, batch.query_start_loc),
                *(parts.stride(0), parts.stride(1), parts.stride(2)),
                *(parts_lse.stride(0), parts_lse.stride(1)),
                *(out.stride(0), out.stride(1), sums.stride(0)),
                D=d_k,
                D_PAD=max(16, power_of_two(d_k)),
                SPLITS=splits,
                SPLITS_PAD=power_of_two(splits),
            )

    def _prefill(
        self, Q: Tensor, K: Tensor, V: Tensor, batch: Batch, rows: Tensor, out: Tensor, sums: Tensor
    ) -> None:
        h, d_k = Q.shape[1:]
        h_kv, group = K.shape[2], h // K.shape[2]
        query_tiles = -(-max(batch.query_lens) * group // self.prefill.rows)
        kernels.prefill_kernel[query_tiles, h_kv, len(rows)](
            *(Q, K, V, batch.block_table, batch.seq_lens, rows, batch.query_start_loc),
            *(out, sums, LOG2_E / math.sqrt(d_k), batch.window or 0),
            *(Q.stride(0), Q.stride(1), K.stride(0), K.stride(1), K.stride(2)),
            *(V.stride(0), V.stride(1), V.stride(2), batch.block_table.stride(0)),
            *(out.stride(0), out.stride(1), sums.stride(0)),
            GROUP=group,
            ROWS=self.prefill.rows,
            BLOCK_SIZE=K.shape[1],
            D=d_k,
            D_PAD=max(16, power_of_two(d_k)),
            TILE=self.prefill.tile,
            WINDOW=batch.window is not None,
            num_warps=self.prefill.num_warps,
            num_stages=self.prefill.num_stages,
        )


def power_of_two(n: int) -> int:
    """The smallest power of two that is not below n."""
    return 1 << (n - 1).bit_length()


def num_splits(batch: Batch, h_kv: int, device: torch.device) -> int:
    """Into how many splits the keys are cut: enough to fill the device, none too short.

    It depends on the longest sequence alone, so it stays the same while a CUDA graph is replayed.
    """
    processors = 1
    if device.type == "cuda":
        processors = torch.cuda.get_device_properties(device).multi_processor_count
    wanted = -(-4 * processors // (len(batch.lengths) * h_kv))
    most = min(-(-max(batch.lengths) // SPLIT_KEYS), MAX_SPLITS)
    return max(1, min(wanted, most))
