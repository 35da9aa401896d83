"""Damage done to the torch side on purpose, to see the check catch it."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from gpu.batch import Batch
from gpu.verification.sides import TorchSide
from gpu.verification.workload import PlannedStep
from walkthrough.paging.block_pool import NULL_BLOCK

FAULTS = ("wrong-block", "drop-last", "stale-copy", "wrong-head")


class BrokenSide(TorchSide):
    """A torch side that makes one mistake, of the kinds that real kernels have made."""

    fault: str

    def move(self, work: PlannedStep) -> None:
        """stale-copy: copy-on-write hands out the new block, and nobody copies the old one."""
        if self.fault == "stale-copy":
            work = replace(work, copies=[])
        super().move(work)

    def attend(
        self, name: str, layer: int, Q: Tensor, batch: Batch
    ) -> tuple[Tensor, Tensor | None]:
        """The other faults: a wrong block or length is read, or another head's K and V."""
        if self.fault == "wrong-block":
            batch = replace(batch, block_table=wrong_block(batch.block_table))
        elif self.fault == "drop-last":
            batch = replace(
                batch,
                lengths=tuple(max(n, length - 1) for n, length in _both(batch)),
                seq_lens=torch.maximum(batch.seq_lens - 1, torch.diff(batch.query_start_loc)),
            )
        elif self.fault == "wrong-head":
            Q = Q.roll(1, dims=1)
        return super().attend(name, layer, Q, batch)


def wrong_block(table: Tensor) -> Tensor:
    """The table with each sequence's first block overwritten by its second.

    Two blocks exchanged would not do: in a decode step the order of the keys changes nothing.
    Where there is no second one stands the null block, which the gate before attention refuses.
    """
    broken = table.clone()
    if table.shape[1] > 1:
        broken[:, 0] = torch.where(table[:, 1] == NULL_BLOCK, table[:, 0], table[:, 1])
    return broken


def _both(batch: Batch) -> list[tuple[int, int]]:
    return list(zip(batch.query_lens, batch.lengths, strict=True))
