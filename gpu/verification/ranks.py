"""Heads split over processes: each keeps its K/V heads, under block tables that all share.

Nothing about blocks is sent: the scheduler decides the same on every rank. What is gathered
are outputs. Started by `torchrun`, which says in the environment who is who.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass

import torch
from torch import Tensor


class HeadsError(ValueError):
    """K/V heads that do not split evenly over the ranks."""


@dataclass(frozen=True)
class Ranks:
    """Which of how many processes this is."""

    rank: int = 0
    world: int = 1

    def heads(self, h_kv: int) -> slice:
        """The K/V heads of this rank. Raises `HeadsError` where they do not split evenly."""
        if h_kv % self.world:
            raise HeadsError(f"{h_kv} K/V heads do not split evenly over {self.world} ranks")
        share = h_kv // self.world
        return slice(self.rank * share, (self.rank + 1) * share)

    def device(self, device: torch.device) -> torch.device:
        """The GPU of this rank, where there are several."""
        if device.type != "cuda" or self.world == 1:
            return device
        return torch.device("cuda", int(os.environ["LOCAL_RANK"]) % torch.cuda.device_count())

    def gather(self, part: Tensor, dim: int) -> Tensor:
        """The parts of all ranks side by side along the dimension of the heads."""
        if self.world == 1:
            return part
        import torch.distributed as dist

        part = part.cpu().contiguous()
        parts = [torch.empty_like(part) for _ in range(self.world)]
        dist.all_gather(parts, part)
        return torch.cat(parts, dim)

    def same(self, tensor: Tensor) -> bool:
        """Whether every rank holds the same numbers."""
        digest = torch.tensor([zlib.crc32(tensor.cpu().numpy().tobytes())])
        return self.world == 1 or len(set(self.gather(digest, 0).tolist())) == 1


def start() -> Ranks:
    """The ranks that `torchrun` has started; one where it has not."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return Ranks()
    import torch.distributed as dist

    if not dist.is_initialized():
        dist.init_process_group("gloo")
    return Ranks(dist.get_rank(), world)


def stop(ranks: Ranks) -> None:
    """Leave the group, once everybody is done."""
    if ranks.world > 1:
        import torch.distributed as dist

        dist.barrier()
        dist.destroy_process_group()
