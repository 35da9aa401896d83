"""Ragged batches over scattered blocks, with what the float64 reference says about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from gpu.attention import Backend
from gpu.batch import Batch, from_table
from gpu.smaller.quantised import QuantisedStorage, numbers, rounded
from gpu.storage import Layout, PagedStorage
from gpu.verification.compare import LSE_TOLERANCE, TOLERANCES, Worst, worst_log_sum, worst_output
from gpu.verification.sides import to_numpy
from walkthrough.reference.attention import attend, kv_heads
from walkthrough.reference.work import Array


@dataclass
class Case:
    """Queries and a storage with one layer; unused slots hold NaN, padding of the table 2³¹ − 1."""

    Q: torch.Tensor
    storage: PagedStorage
    batch: Batch
    rows: list[tuple[torch.Tensor, torch.Tensor]]  # K and V (m, h_kv, d_k) of each sequence
    given: list[tuple[torch.Tensor, torch.Tensor]]  # the same before they were rounded to 8 bits

    @cached_property
    def reference(self) -> tuple[Array, Array]:
        """Outputs (n, h, d_k) and log Σ e^score (n, h), in float64 from the rounded numbers."""
        out, sums = np.zeros(self.Q.shape), np.full(self.Q.shape[:2], -np.inf)
        for i, (K, V) in enumerate(self.rows):
            n, m = self.batch.query_lens[i], self.batch.lengths[i]
            if not m:
                continue
            query, key = np.arange(m - n, m)[:, None], np.arange(m)[None]
            mask = key <= query
            if self.batch.window is not None:
                mask &= key > query - self.batch.window
            kept = slice(self.batch.starts[i], self.batch.starts[i + 1])
            heads = kv_heads(self.Q.shape[1], K.shape[1])
            done = attend(
                to_numpy(self.Q[kept]).astype(np.float64).transpose(1, 0, 2),
                to_numpy(K).astype(np.float64)[:, heads].transpose(1, 0, 2),
                to_numpy(V).astype(np.float64)[:, heads].transpose(1, 0, 2),
                mask,
            )
            out[kept] = done.output.transpose(1, 0, 2)
            sums[kept] = (done.row_max + np.log(done.row_sums))[..., 0].T
        return out, sums

    def attend(self, backend: Backend) -> tuple[torch.Tensor, torch.Tensor | None]:
        """What the backend gives: (n, h, d_k) and (n, h)."""
        return backend.attend(self.Q, self.storage.K[0], self.storage.V[0], self.batch)

    def errors(self, backend: Backend) -> tuple[Worst, Worst | None]:
        """How far a backend's outputs are from the reference, and its log Σ e^score."""
        out, sums = self.attend(backend)
        wanted, wanted_sums = self.reference
        worst = worst_output(to_numpy(out), wanted, self.batch.starts)
        if sums is None:
            return worst, None
        return worst, worst_log_sum(to_numpy(sums), wanted_sums, self.batch.starts)

    def agrees(self, backend: Backend) -> bool:
        """Whether it is as near to the reference as its dtype allows, in every head."""
        worst, log_sum = self.errors(backend)
        name = str(self.Q.dtype).removeprefix("torch.")
        near = worst.error <= TOLERANCES[name]
        return near and (log_sum is None or log_sum.error <= LSE_TOLERANCE)


def make_case(
    lengths: list[int],
    query_lens: list[int],
    *,
    h: int = 2,
    h_kv: int = 2,
    d_k: int = 64,
    block_size: int = 16,
    dtype: torch.dtype = torch.float32,
    device: str | torch.device = "cpu",
    layout: Layout = "HND",
    window: int | None = None,
    seed: int = 0,
    order: int = 0,
    needle: int | None = None,
    codes: torch.dtype | None = None,
) -> Case:
    """A random case. `order` shuffles the physical blocks alone; `needle`: a key that dominates.

    `codes`: K and V are kept in this dtype of 8 bits, and the reference takes what is read.
    """
    rng = np.random.default_rng(seed)
    blocks = [-(-length // block_size) for length in lengths]
    free = (np.random.default_rng(order).permutation(sum(blocks)) + 1).tolist()
    size = (sum(blocks) + 1, block_size, d_k)
    storage = (
        PagedStorage(*size, h_kv=h_kv, dtype=dtype, device=device, layout=layout)
        if codes is None
        else QuantisedStorage(
            *size, h_kv=h_kv, dtype=dtype, device=device, layout=layout, codes=codes
        )
    )
    table = torch.full((len(lengths), max(1, *blocks)), 2**31 - 1, dtype=torch.int32)

    def random(*shape: int) -> torch.Tensor:
        return torch.from_numpy(rng.standard_normal(shape)).to(device, dtype)

    Q = random(sum(query_lens), h, d_k)
    rows, given = [], []
    for i, length in enumerate(lengths):
        ids = [free.pop() for _ in range(blocks[i])]
        table[i, : blocks[i]] = torch.tensor(ids, dtype=torch.int32)
        K, V = random(length, h_kv, d_k), random(length, h_kv, d_k)
        if needle is not None:
            last = Q[sum(query_lens[: i + 1]) - 1]  # (h, d_k)
            K[needle] = last.view(h_kv, -1, d_k)[:, 0] * 3
        slots = [ids[p // block_size] * block_size + p % block_size for p in range(length)]
        storage.write(0, slots, K, V)
        given.append((K, V))
        if codes is not None:
            K, V = (numbers(*rounded(x, codes), torch.float64) for x in (K, V))
        rows.append((K, V))
    return Case(Q, storage, from_table(table, lengths, query_lens, window, device), rows, given)
