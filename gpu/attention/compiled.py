"""Attention over pages written in plain torch, and compiled: the gather melts into the arithmetic.

Written out, `k_pool[block_table]` is a copy. `torch.compile` fuses it with the products behind
it into one loop that reads each row where it lies, once. On a CPU this is the fast one.

Decode goes block by block, and the parts are merged, as in lesson 10. Several queries over one
sequence are worth a copy: with n queries the arithmetic grows n-fold, the copy does not, and
matrix products come from a library. They take the way of `Gather`.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from functools import cache

import torch
import torch._dynamo
from torch import Tensor

from gpu.attention.gather import Gather
from gpu.attention.inputs import check_inputs
from gpu.batch import Batch
from gpu.smaller.quantised import Pool, RoundedRows


class Compiled:
    """Decode through compiled code; it is made at the first call, which takes a while."""

    def __init__(self) -> None:
        self._gather = Gather()

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch)
        out = torch.zeros_like(Q)  # (n, h, d_k)
        sums = torch.full(Q.shape[:2], -math.inf, dtype=torch.float32, device=Q.device)  # (n, h)
        self._gather.attend_some(batch.prefilling, Q, K, V, batch, out, sums if lse else None)
        # A table without a column is that of sequences without a key, which stay 0.
        if (rows := batch.decode_rows) is not None and batch.block_table.shape[1]:
            queries = batch.query_start_loc[rows]
            table, seq_lens = batch.block_table[rows], batch.seq_lens[rows]
            window = batch.window or max(1, *batch.lengths)
            out[queries], sums[queries] = _decode(Q[queries], K, V, table, seq_lens, window)
        return out, sums if lse else None


def _decode(
    Q: Tensor, K: Pool, V: Pool, table: Tensor, seq_lens: Tensor, window: int
) -> tuple[Tensor, Tensor]:
    """Q (b, h, d_k), one layer's pools, (b, nb), (b,) → (b, h, d_k) and (b, h)."""
    h, h_kv = Q.shape[1], K.shape[2]
    q = Q.reshape(len(Q), h_kv, h // h_kv, -1)  # (b, h_kv, g, d_k)
    of_pools: list[Tensor] = []
    if isinstance(K, RoundedRows) and isinstance(V, RoundedRows):
        of_pools = [K.scales.transpose(1, 2), V.scales.transpose(1, 2)]
        K, V = K.codes, V.codes
    assert isinstance(K, Tensor) and isinstance(V, Tensor)
    K, V = K.transpose(1, 2), V.transpose(1, 2)  # (blocks, h_kv, block_size, d_k)
    pools = [(pool, [0]) for pool in (K, V, *of_pools)]
    for tensor, dims in ((q, [0]), *pools, (table, [0, 1]), (seq_lens, [0])):
        for dim in dims:  # compiled once for every batch, length and pool
            torch._dynamo.maybe_mark_dynamic(tensor, dim)
    # As a tensor: for another number it would be compiled again.
    last = seq_lens.new_full((), window)
    out, lse = compiled_decode()(q, K, V, table, seq_lens, last, *of_pools)
    return out.reshape(Q.shape), lse.reshape(Q.shape[:2])


@cache
def compiled_decode() -> Callable[..., tuple[Tensor, Tensor]]:
    """The function below, compiled at its first call with a dtype and sizes of heads and blocks."""
    function: Callable[..., tuple[Tensor, Tensor]] = torch.compile(compiled_attention)
    return function


def has_compiler(device: torch.device) -> bool:
    """Whether `torch.compile` finds what it needs: on a CPU, a C++ compiler."""
    if device.type == "cpu":
        from torch._inductor.config import cpp

        return any(name and shutil.which(name) for name in cpp.cxx)
    return True


def compiled_attention(
    q: Tensor,
    K: Tensor,
    V: Tensor,
    table: Tensor,
    seq_lens: Tensor,
    window: Tensor,
    k_scales: Tensor | None = None,
    v_scales: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """One query a sequence: q (b, h_kv, g, d_k); K, V (blocks, h_kv, block_size, d_k).

    With scales, (blocks, h_kv, block_size), K and V are codes: a key's scale is its score's.
    Result: (b, h_kv, g, d_k) and log Σ e^score (b, h_kv, g).
    """
    d_k, block_size, nb = q.shape[3], K.shape[2], table.shape[1]
    end = seq_lens[:, None]  # (b, 1)
    position = torch.arange(nb * block_size, device=q.device)[None]  # (1, m)
    seen = ((position < end) & (position >= end - window)).view(-1, nb, block_size)
    # What stands behind a sequence's end may be no block at all.
    first = torch.arange(nb, device=q.device)[None] * block_size  # (1, nb)
    ids = torch.where(first < end, table, 0)
    k = K[ids]  # (b, nb, h_kv, block_size, d_k), if it were computed
    products = q[:, None, :, :, None].float() * k[:, :, :, None].float()
    scores = products.sum(-1) / math.sqrt(d_k)  # (b, nb, h_kv, g, block_size)
    if k_scales is not None:
        scores = scores * k_scales[ids][:, :, :, None]
    scores = torch.where(seen[:, :, None, None], scores, -math.inf)
    m = scores.amax(-1)  # (b, nb, h_kv, g)
    e = torch.exp(scores - torch.where(m == -math.inf, 0.0, m)[..., None])
    v, share = V[ids][:, :, :, None].float(), e[..., None]
    if v_scales is not None:
        v = v * v_scales[ids][:, :, :, None, :, None]
    # A slot that is not seen may hold NaN, and 0 · NaN is NaN.
    o = torch.where(share == 0, 0.0, share * v).sum(4)  # (b, nb, h_kv, g, d_k)
    # The parts, merged.
    largest = m.amax(1, keepdim=True)  # (b, 1, h_kv, g)
    largest = torch.where(largest == -math.inf, 0.0, largest)
    weight = torch.exp(m - largest)  # (b, nb, h_kv, g)
    total = (e.sum(-1) * weight).sum(1)  # (b, h_kv, g)
    out = (o * weight[..., None]).sum(1) / torch.where(total == 0, 1.0, total)[..., None]
    lse = torch.where(total == 0, -math.inf, largest[:, 0] + total.log())
    return out.to(q.dtype), lse
