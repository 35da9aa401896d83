"""The other process: tensors to it and from it, over `torch.distributed` with gloo.

Whatever becomes of the other one, nobody waits for longer than the timeout: `PeerError`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Protocol

import torch
from torch import Tensor

NAMES = ("prefill", "decode")  # what rank 0 does, and rank 1


class PeerError(Exception):
    """The other process is gone, or has not answered in time."""


class Pending(Protocol):
    """Something on its way; `wait` returns once it has left."""

    def wait(self) -> object:
        """Raises `PeerError` where it cannot arrive."""
        ...


class Peer(Protocol):
    """What the two sides ask of a link: messages arrive whole, in order."""

    def send(self, message: Tensor) -> Pending:
        """Start sending; the message must not be changed before it has been waited for."""
        ...

    def receive(self, into: Tensor) -> Tensor:
        """The next message, which has to be of this shape and dtype."""
        ...


def send_numbers(link: Peer, *numbers: int) -> None:
    """A message of whole numbers."""
    link.send(torch.tensor(numbers, dtype=torch.int64)).wait()


def receive_numbers(link: Peer, n: int) -> list[int]:
    """A message of n whole numbers."""
    found: list[int] = link.receive(torch.empty(n, dtype=torch.int64)).tolist()
    return found


def exchange(link: Peer, *numbers: int) -> list[int]:
    """Tell the other one some numbers, and be told as many."""
    own = torch.tensor(numbers, dtype=torch.int64)
    pending = link.send(own)  # to wait now would be to wait for each other
    theirs = receive_numbers(link, len(numbers))
    pending.wait()
    return theirs


class GlooLink:
    """The other of two processes."""

    def __init__(self, rank: int, meet: str, timeout: float) -> None:
        """Meet the other one: at `env://`, as torchrun sets it, or at a file, `file:///…`."""
        import torch.distributed as dist

        self.rank, self._dist = rank, dist
        self._told(
            lambda: dist.init_process_group(
                "gloo",
                init_method=meet,
                rank=rank,
                world_size=2,
                timeout=timedelta(seconds=timeout),
            )
        )

    def send(self, message: Tensor) -> Pending:
        """Start sending; gloo's own threads do it while this process computes on."""
        as_bytes = message.view(torch.uint8)  # whatever the dtype
        return _Sending(self, self._told(lambda: self._dist.isend(as_bytes, 1 - self.rank)))

    def receive(self, into: Tensor) -> Tensor:
        """The next message."""
        self._told(lambda: self._dist.recv(into.view(torch.uint8), 1 - self.rank))
        return into

    def close(self) -> None:
        """Leave; the other one need not be there any more."""
        self._dist.destroy_process_group()

    def _told(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except RuntimeError as error:  # torch's own errors of distribution are RuntimeErrors
            late = "timed out" in str(error).lower()
            why = "has not answered in time" if late else "is gone"
            raise PeerError(f"the process for {NAMES[1 - self.rank]} {why}") from error


class _Sending:
    """A message on its way."""

    def __init__(self, link: GlooLink, work: Any) -> None:
        self._link, self._work = link, work

    def wait(self) -> object:
        return self._link._told(self._work.wait)
