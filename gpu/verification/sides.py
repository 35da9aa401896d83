"""The two sides that run under the same block tables: NumPy, and torch with its backends."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

import numpy as np
import torch
from torch import Tensor

from gpu.attention import Backend
from gpu.batch import Batch
from gpu.storage import PagedStorage, Slots, move_blocks
from gpu.verification.workload import Fed, Plan, PlannedStep
from walkthrough.paging.sequence import Sequence
from walkthrough.reference import attention, paged
from walkthrough.reference.cost import Geometry
from walkthrough.reference.parts import finish
from walkthrough.reference.work import Array

# NumPy has no bfloat16: it keeps the rounded numbers in float32, which holds each exactly.
NUMPY_DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": np.float32}
ROWS = 32  # NumPy recomputes at most so many rows of a chunk, spread over it


def to_numpy(tensor: Tensor) -> Array:
    """The same numbers as an array; bfloat16 becomes float32, exactly."""
    tensor = tensor.detach().cpu()
    array: Array = (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()
    return array


class NumpySide:
    """The reference: storage block by block, attention in float64."""

    def __init__(self, plan: Plan, geometry: Geometry, layers: int, dtype: str) -> None:
        self.storage, self.host = (
            paged.PagedStorage(
                blocks,
                plan.block_size,
                geometry.d_k,
                layers=layers,
                h_kv=geometry.h_kv,
                dtype=NUMPY_DTYPES[dtype],
            )
            for blocks in (plan.num_blocks, plan.host_blocks)
        )

    def move(self, work: PlannedStep) -> None:
        """Copies and swaps of a step."""
        self.storage.copy_blocks(work.copies)
        paged.move_blocks(self.storage, self.host, work.swap_out)
        paged.move_blocks(self.host, self.storage, work.swap_in)

    def write(self, layer: int, slots: SequenceOf[int], K: Array, V: Array) -> None:
        """Rows (n, h_kv, d_k) to their slots."""
        self.storage.write(layer, slots, K, V)

    def attend(self, layer: int, fed: Fed, Q: Array, rows: SequenceOf[int]) -> tuple[Array, Array]:
        """Some of a sequence's last n queries (rows, h, d_k), in float64; and log Σ e^score."""
        K, V = self.storage.K[layer], self.storage.V[layer]
        queries = Q.astype(np.float64)
        if fed.n == 1:
            table, length = fed.sequence.block_table, len(fed.sequence)
            whole = paged.paged_attention(queries, K, V, table, length)
            sums = paged.log_sum_exp(whole)[..., 0]  # (h, 1)
            return finish(whole).transpose(1, 0, 2), sums.T
        return self._bulk(fed, queries, rows, K, V)

    @staticmethod
    def _bulk(
        fed: Fed, queries: Array, rows: SequenceOf[int], K: Array, V: Array
    ) -> tuple[Array, Array]:
        """The same over rows gathered once, head by head: for many queries that is quicker."""
        length, h = len(fed.sequence), queries.shape[1]
        kv_head = attention.kv_heads(h, K.shape[2])
        keys, values = (
            pool[fed.sequence.block_table].reshape(-1, *pool.shape[2:])[:length] for pool in (K, V)
        )  # (m, h_kv, d_k)
        mask = attention.causal_mask(fed.n, length)[list(rows)]
        out = np.empty(queries.shape)
        sums = np.empty(queries.shape[:2])
        for head in range(h):
            done = attention.attend(
                queries[:, head],
                keys[:, kv_head[head]].astype(np.float64),
                values[:, kv_head[head]].astype(np.float64),
                mask,
            )
            out[:, head] = done.output
            sums[:, head] = (done.row_max + np.log(done.row_sums))[:, 0]
        return out, sums


class TorchSide:
    """Storage on a device, the backends over it, and the faults that are wanted."""

    def __init__(
        self,
        plan: Plan,
        geometry: Geometry,
        layers: int,
        dtype: torch.dtype,
        device: torch.device,
        heads: slice,
        backends: dict[str, Backend],
    ) -> None:
        self.device, self.backends = device, backends
        self.heads = heads  # of the K/V heads, those that are kept here
        group = geometry.h // geometry.h_kv
        self.query_heads = slice(heads.start * group, heads.stop * group)
        sizes = {"layers": layers, "h_kv": heads.stop - heads.start, "dtype": dtype}
        self.storage = PagedStorage(
            plan.num_blocks,
            plan.block_size,
            geometry.d_k,
            device=device,
            **sizes,
        )
        self.host = PagedStorage(
            plan.host_blocks,
            plan.block_size,
            geometry.d_k,
            pinned=device.type == "cuda",
            **sizes,
        )

    def move(self, work: PlannedStep) -> None:
        """Copies and swaps of a step."""
        self.storage.copy_blocks(work.copies)
        move_blocks(self.storage, self.host, work.swap_out)
        move_blocks(self.host, self.storage, work.swap_in)

    def write(self, layer: int, slots: Slots, K: Tensor, V: Tensor) -> None:
        """The kept heads of rows (n, h_kv, d_k) to their slots."""
        self.storage.write(layer, slots, K[:, self.heads], V[:, self.heads])

    def attend(
        self, name: str, layer: int, Q: Tensor, batch: Batch
    ) -> tuple[Tensor, Tensor | None]:
        """A backend's result for the kept heads: (n, h, d_k) and (n, h)."""
        K, V = self.storage.K[layer], self.storage.V[layer]
        return self.backends[name].attend(Q[:, self.query_heads], K, V, batch)

    def blocks(self, layer: int, ids: SequenceOf[int]) -> tuple[Tensor, Tensor]:
        """K and V of these blocks: (ids, block_size, h_kv, d_k)."""
        index = torch.tensor(ids, dtype=torch.int64, device=self.device)
        return self.storage.K[layer, index], self.storage.V[layer, index]


def sampled(n: int, most: int = ROWS) -> list[int]:
    """Which of n rows are recomputed: all, or `most` of them spread from the first to the last."""
    return sorted({round(i) for i in np.linspace(0, n - 1, min(n, most))})


def owner(sequences: dict[str, Sequence], block: int) -> tuple[str, int]:
    """Whose block it is, and which of its logical blocks."""
    for name, sequence in sequences.items():
        if block in sequence.block_table:
            return name, sequence.block_table.index(block)
    return "-", 0
