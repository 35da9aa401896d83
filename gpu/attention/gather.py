"""Attention with torch alone: gather a sequence's blocks, then attend as if there were no pages.

It runs on every device and says what the others must say. It reads K and V once to copy them,
writes the copy and reads it again: three times the traffic of a kernel that walks the pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from gpu.attention.inputs import check_inputs
from gpu.batch import Batch
from gpu.smaller.quantised import Pool, RoundedRows, as_bytes, numbers

SCORES = 1 << 22  # so many scores are held at once: more would be fresh memory at every call


class Gather:
    """Gathers into buffers that it keeps, so that a step does not pay for fresh memory."""

    def __init__(self) -> None:
        self._buffers: dict[str, Tensor] = {}

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """See `gpu.attention.Backend`."""
        check_inputs(Q, K, V, batch)
        out = torch.zeros_like(Q)  # (n, h, d_k)
        sums = (
            torch.full(Q.shape[:2], -math.inf, dtype=torch.float32, device=Q.device)
            if lse
            else None
        )  # (n, h)
        self.attend_some(range(len(batch.lengths)), Q, K, V, batch, out, sums)
        return out, sums

    def attend_some(
        self,
        sequences: Iterable[int],
        Q: Tensor,
        K: Pool,
        V: Pool,
        batch: Batch,
        out: Tensor,
        sums: Tensor | None,
    ) -> None:
        """The same for these sequences of the batch alone, into `out` and `sums`."""
        for i in sequences:
            n, length = batch.query_lens[i], batch.lengths[i]
            if not n or not length:
                continue
            queries = slice(batch.starts[i], batch.starts[i] + n)
            table = batch.block_table[i, : -(-length // K.shape[1])]
            keys = self.numbers("K", K, table)[:, :length]  # (h_kv, m, d_k)
            values = self.numbers("V", V, table)[:, :length]
            out[queries] = self._one(Q[queries], keys, values, batch.window)
            if sums is not None:
                sums[queries] = log_sum_exp(Q[queries], keys, batch.window)

    def numbers(self, name: str, pool: Pool, table: Tensor) -> Tensor:
        """The same as `rows`, in the dtype of the queries also where codes are stored."""
        if not isinstance(pool, RoundedRows):
            return self.rows(name, pool, table)
        codes = self.rows(name, as_bytes(pool.codes), table).view(pool.codes.dtype)
        scales = self.rows(f"scales of {name}", pool.scales[..., None], table)[..., 0]
        return numbers(codes, scales, pool.dtype)  # (h_kv, m, d_k)

    def rows(self, name: str, pool: Tensor, table: Tensor) -> Tensor:
        """The rows of a sequence's blocks: (blocks, block_size, h_kv, d_k) → (h_kv, m, d_k).

        The result is overwritten by the next call of the same name.
        """
        heads_first = pool.stride(2) > pool.stride(1)  # how it lies in memory
        # Chosen from a view whose strides are not in order, torch would copy the whole pool.
        pool = pool.transpose(1, 2) if heads_first else pool
        chosen = self._buffer(name, (len(table), *pool.shape[1:]), pool)
        torch.index_select(pool, 0, table.long(), out=chosen)
        if not heads_first:  # (nb, block_size, h_kv, d_k): its rows lie one behind the other
            return chosen.flatten(0, 1).transpose(0, 1)
        nb, h_kv, block_size, d_k = chosen.shape
        rows = self._buffer(f"{name} by head", (h_kv, nb, block_size, d_k), pool)
        return rows.copy_(chosen.transpose(0, 1)).view(h_kv, -1, d_k)

    def _buffer(self, name: str, shape: tuple[int, ...], like: Tensor) -> Tensor:
        count, buffer = math.prod(shape), self._buffers.get(name)
        if (
            buffer is None
            or buffer.numel() < count
            or (buffer.dtype, buffer.device) != (like.dtype, like.device)
        ):
            buffer = self._buffers[name] = torch.empty(count, dtype=like.dtype, device=like.device)
        return buffer[:count].view(shape)

    def _one(self, Q: Tensor, K: Tensor, V: Tensor, window: int | None) -> Tensor:
        """One sequence: Q (n, h, d_k), K and V (h_kv, m, d_k) → (n, h, d_k)."""
        n, m = len(Q), K.shape[1]
        mask, whole = None, n == m and window is None
        if (n > 1 and not whole) or window is not None:
            mask = visible(n, m, window, Q.device)  # (n, m)
            if window is not None:  # what nobody sees may be given back, and hold anything
                seen = mask.any(0)[:, None]
                K, V = K.where(seen, 0), V.where(seen, 0)
        heads = scaled_dot_product_attention(
            *(Q.transpose(0, 1)[None], K[None], V[None]),
            attn_mask=mask,
            is_causal=whole,
            enable_gqa=True,
        )  # (1, h, n, d_k)
        return heads[0].transpose(0, 1)


def visible(n: int, m: int, window: int | None, device: torch.device) -> Tensor:
    """Which of m keys each of the last n tokens may see: (n, m), True = may be seen."""
    query = torch.arange(m - n, m, device=device)[:, None]
    key = torch.arange(m, device=device)[None, :]
    mask = key <= query
    return mask if window is None else mask & (key > query - window)


def log_sum_exp(Q: Tensor, K: Tensor, window: int | None = None) -> Tensor:
    """Logarithm of Σ e^score: Q (n, h, d_k), K (h_kv, m, d_k) → (n, h) float32."""
    n, h, d_k = Q.shape
    h_kv, m, _ = K.shape
    g = h // h_kv
    queries = Q.transpose(0, 1).reshape(h_kv, g * n, d_k)  # heads of a group are neighbours
    hidden = None
    if n > 1 or window is not None:
        hidden = ~visible(n, m, window, Q.device)  # (n, m)
    wide = torch.promote_types(Q.dtype, torch.float32)
    step, parts = max(1, SCORES // (g * n * m)), []
    for q, k in zip(torch.split(queries, step), torch.split(K, step), strict=True):
        scores = (q.to(wide) @ k.to(wide).mT).div_(math.sqrt(d_k))
        scores = scores.view(-1, n, m)  # (step · g, n, m)
        if hidden is not None:
            scores.masked_fill_(hidden, -math.inf)
        parts.append(scores.logsumexp(-1))
    return torch.cat(parts).mT.float()
