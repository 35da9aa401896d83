"""torch's own `flex_attention` over the same pages, for cross-checks.

The pool is one long row of keys; a block mask names, for each sequence, the blocks to look at,
and a mask function translates a physical slot back into a position. A masked score is replaced,
but its value row is still multiplied by 0, so unused slots must be finite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.attention.flex_attention import AuxRequest, BlockMask, flex_attention

from gpu.batch import Batch

QUERY_BLOCK = 128


class Flex:
    """The pool is taken as it lies where slots come first (NHD) and all of it is finite.

    Otherwise it is copied at every call, with NaN replaced by 0: good enough for a cross-check.
    On a CPU torch 2.13 compiles it for changing lengths in float32 only, and without the
    log-sum-exp: there it computes on a float32 copy.
    """

    def attend(
        self, Q: Tensor, K: Tensor, V: Tensor, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        b, longest = len(batch.lengths), max(batch.query_lens)
        sequence = torch.repeat_interleave(torch.tensor(batch.query_lens)).to(Q.device)  # (n,)
        start = torch.tensor(batch.starts, device=Q.device)
        index = torch.arange(len(Q), device=Q.device) - start[sequence]  # within its sequence
        wide = torch.float32 if Q.device.type == "cpu" else Q.dtype
        queries = Q.new_zeros((b, Q.shape[1], longest, Q.shape[2]), dtype=wide)
        queries[sequence, :, index] = Q.to(wide)  # (b, h, longest, d_k)
        empty = (batch.seq_lens == 0)[sequence]  # (n,)
        mask = block_mask(batch, K.shape[0], K.shape[1], longest)
        pools = as_row(K.to(wide)), as_row(V.to(wide))
        sums = None
        if lse and Q.device.type != "cpu":
            aux = AuxRequest(lse=True)
            padded, found = compiled_flex()(
                queries, *pools, block_mask=mask, enable_gqa=True, return_aux=aux
            )
            sums = found.lse[sequence, :, index].float()  # (n, h)
            sums = torch.where(empty[:, None], -math.inf, sums)
        else:
            padded = compiled_flex()(queries, *pools, block_mask=mask, enable_gqa=True)
        return torch.where(empty[:, None, None], 0, padded[sequence, :, index]).to(Q.dtype), sums


def as_row(pool: Tensor) -> Tensor:
    """(blocks, block_size, h_kv, d_k) → (1, h_kv, blocks · block_size, d_k)."""
    if pool.is_contiguous():
        return pool.flatten(0, 1).transpose(0, 1)[None]
    return torch.nan_to_num(pool).flatten(0, 1).transpose(0, 1)[None]


def block_mask(batch: Batch, num_blocks: int, block_size: int, longest: int) -> BlockMask:
    """Which physical blocks each sequence looks at, and which of their slots a query may see."""
    device = batch.seq_lens.device
    b, nb = batch.block_table.shape
    logical = torch.arange(nb, device=device)
    used = logical * block_size < batch.seq_lens[:, None]  # (b, nb)
    table = torch.where(used, batch.block_table, 0)
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
