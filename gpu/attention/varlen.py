"""torch's own `varlen_attn` over the same pages, for cross-checks: FlashAttention, on CUDA only."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from gpu.attention.inputs import check_inputs
from gpu.batch import Batch
from gpu.smaller.quantised import Pool

PAGE = 256  # the kernel that torch brings reads pages of a multiple of this


class Varlen:
    """Blocks are its pages: their size is a multiple of 256, K and V are 16 bits wide."""

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch, codes=False)
        assert isinstance(K, Tensor) and isinstance(V, Tensor)
        from torch.nn.attention.varlen import AuxRequest, varlen_attn

        used = torch.arange(batch.block_table.shape[1], device=Q.device) * K.shape[1]
        table = torch.where(used < batch.seq_lens[:, None], batch.block_table, 0).int()
        left = -1 if batch.window is None else batch.window - 1
        options: dict[str, Any] = {
            "window_size": (left, 0),  # causal
            "enable_gqa": True,
            "seqused_k": batch.seq_lens,
            "block_table": table,
            "num_splits": 1,  # its split version leaves rows unwritten
            "return_aux": AuxRequest(lse=True),
        }
        starts, longest = batch.query_start_loc, (max(batch.query_lens), max(batch.lengths))
        out, sums = varlen_attn(Q, K, V, starts, None, *longest, **options)
        counts = torch.diff(batch.query_start_loc)
        empty = torch.repeat_interleave(batch.seq_lens == 0, counts, output_size=len(Q))  # (n,)
        out = torch.where(empty[:, None, None], 0, out)
        return out, torch.where(empty[:, None], -math.inf, sums.float()) if lse else None
