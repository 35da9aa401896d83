"""What two processes say to one another over gloo: notes, and tensors of blocks."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

PREFILL, DECODE = 0, 1  # ranks
PROBE_BYTES = 8 << 20


class LinkError(Exception):
    """The other process is gone, silent, or does not fit."""


@contextmanager
def joined(seconds: float) -> Iterator[int]:
    """The rank of this process among the two; who waits longer than that for the other gives up.

    The environment says where they meet, as `torchrun` sets it. Raises LinkError.
    """
    try:
        dist.init_process_group("gloo", timeout=timedelta(seconds=seconds))
    except (RuntimeError, ValueError) as error:
        raise LinkError(f"the other process did not come: {first_line(error)}") from error
    try:
        if dist.get_world_size() != 2:
            raise LinkError(f"two processes are needed, not {dist.get_world_size()}")
        yield dist.get_rank()
    except RuntimeError as error:
        if isinstance(error, torch.OutOfMemoryError):
            raise
        raise LinkError(f"the other process is gone: {first_line(error)}") from error
    finally:
        dist.destroy_process_group()


def first_line(error: Exception) -> str:
    """What gloo says, without its trace."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]


def send_note(note: Any, other: int) -> None:
    """Send something small."""
    dist.send_object_list([note], other)


def receive_note(other: int) -> Any:
    """What the other has sent."""
    box = [None]
    dist.recv_object_list(box, other)
    return box[0]


class Sending:
    """Tensors on their way; they are kept until they have gone."""

    def __init__(self, other: int) -> None:
        self.other, self.nbytes = other, 0
        self._on_the_way: list[tuple[Any, Tensor]] = []

    def send(self, tensor: Tensor, tag: int) -> None:
        """Begin to send; returns at once."""
        tensor = tensor.contiguous()
        self._on_the_way.append((dist.isend(tensor, self.other, tag=tag), tensor))
        self.nbytes += tensor.nbytes

    def wait(self) -> None:
        """Return when everything has gone."""
        for work, _ in self._on_the_way:
            work.wait()
        self._on_the_way.clear()


def receive_tensor(like: Tensor, other: int, tag: int) -> Tensor:
    """A tensor of the same shape and dtype."""
    tensor = torch.empty_like(like, memory_format=torch.contiguous_format)
    dist.recv(tensor, other, tag=tag)
    return tensor


def bandwidth(rank: int, runs: int = 5) -> float:
    """Bytes a second from the first process to the second: the median of some 8 MiB, measured."""
    probe, times = torch.zeros(PROBE_BYTES // 4), list[float]()
    for _ in range(runs + 1):  # the first one opens the connection
        start = time.perf_counter()
        if rank == PREFILL:
            dist.send(probe, DECODE)
            receive_note(DECODE)
        else:
            dist.recv(probe, PREFILL)
            send_note(None, PREFILL)
        times.append(time.perf_counter() - start)
    middle = sorted(times[1:])[runs // 2]
    found = torch.tensor([PROBE_BYTES / middle], dtype=torch.float64)
    dist.broadcast(found, PREFILL)  # both speak of one figure
    return float(found)
