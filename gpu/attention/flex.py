"""torch's own `flex_attention` over the same pages, for cross-checks.

The pool is one long row of keys; a block mask names, for each sequence, the blocks to look at,
and a mask function translates a physical slot back into a position. A masked score is replaced,
but its value row is still multiplied by 0, so unused slots must be finite.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, flex_attention

from gpu.attention.inputs import check_inputs
from gpu.batch import Batch
from gpu.smaller.quantised import Pool

QUERY_BLOCK = 128


class Flex:
    """With `finite` pools, which hold no NaN, and slots first (NHD), they are taken as they lie.

    Otherwise they are copied at every call, with NaN replaced by 0: good enough for a cross-check.
    On a CPU it is not compiled, as torch 2.13 would do that again for every length, and works on
    float32 copies: uncompiled, it would round the weights to the narrow dtype.
    """

    def __init__(self, finite: bool = False) -> None:
        self.finite = finite

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch, codes=False)
        assert isinstance(K, Tensor) and isinstance(V, Tensor)
        b, longest = len(batch.lengths), max(batch.query_lens)
        if not longest:
            sums = torch.zeros(Q.shape[:2], dtype=torch.float32, device=Q.device)
            return torch.zeros_like(Q), sums if lse else None
        sequence = torch.repeat_interleave(torch.tensor(batch.query_lens)).to(Q.device)  # (n,)
        start = torch.tensor(batch.starts, device=Q.device)
        index = torch.arange(len(Q), device=Q.device) - start[sequence]  # within its sequence
        wide = Q.dtype if Q.is_cuda else torch.promote_types(Q.dtype, torch.float32)
        queries = Q.new_zeros((b, Q.shape[1], longest, Q.shape[2]), dtype=wide)
        queries[sequence, :, index] = Q.to(wide)  # (b, h, longest, d_k)
        attention = compiled_flex() if Q.is_cuda else eager_flex()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
            padded, aux = attention(
                queries,
                *(self._row(pool.to(wide)) for pool in (K, V)),
                block_mask=block_mask(batch, K.shape[0], K.shape[1], longest),
                enable_gqa=True,
                return_aux=AuxRequest(lse=True),
            )
        empty = (batch.seq_lens == 0)[sequence]  # (n,)
        out = torch.where(empty[:, None, None], 0, padded[sequence, :, index]).to(Q.dtype)
        sums = torch.where(empty[:, None], -math.inf, aux.lse[sequence, :, index].float())
        return out, sums if lse else None

    def _row(self, pool: Tensor) -> Tensor:
        """(blocks, block_size, h_kv, d_k) → (1, h_kv, blocks · block_size, d_k)."""
        pool = pool if self.finite else torch.nan_to_num(pool)
        return pool.flatten(0, 1).transpose(0, 1)[None]


def block_mask(batch: Batch, num_blocks: int, block_size: int, longest: int) -> BlockMask:
    """Which physical blocks each sequence looks at, and which of their slots a query may see."""
    device = batch.seq_lens.device
    in_use = batch.block_table[:, :num_blocks]  # what stands behind can only be padding
    b, nb = in_use.shape
    logical = torch.arange(nb, device=device)
    used = logical * block_size < batch.seq_lens[:, None]  # (b, nb)
    table = torch.where(used, in_use, 0)
    to_logical = torch.full((b, num_blocks), -1, dtype=torch.int32, device=device)
    rows = torch.arange(b, device=device)[:, None].expand(b, nb)
    to_logical[rows[used], table[used]] = logical.int().expand(b, nb)[used]
    first = batch.seq_lens - torch.diff(batch.query_start_loc)  # position of the first query
    seq_lens, window = batch.seq_lens, batch.window

    def visible(b: Tensor, h: Tensor, q: Tensor, slot: Tensor) -> Tensor:
        block = to_logical[b, slot // block_size]
        position = block * block_size + slot % block_size
        query = first[b] + q
        seen = (block >= 0) & (position <= query) & (position < seq_lens[b])
        return seen if window is None else seen & (position > query - window)

    query_blocks = -(-longest // QUERY_BLOCK)
    indices = torch.zeros((b, 1, query_blocks, num_blocks), dtype=torch.int32, device=device)
    indices[..., :nb] = table[:, None, None].int()
    return BlockMask.from_kv_blocks(
        used.sum(1, dtype=torch.int32)[:, None, None].expand(b, 1, query_blocks).contiguous(),
        indices,
        BLOCK_SIZE=(QUERY_BLOCK, block_size),
        mask_mod=visible,
        seq_lengths=(longest, num_blocks * block_size),
    )


@cache
def compiled_flex() -> Callable[..., Any]:
    """`flex_attention`, which is a kernel only where it is compiled."""
    function: Callable[..., Any] = torch.compile(flex_attention)
    return function


def eager_flex() -> Callable[..., Any]:
    """`flex_attention` as plain tensor operations: what its kernels must agree with."""
    function: Any = flex_attention
    return cast(Callable[..., Any], function)
