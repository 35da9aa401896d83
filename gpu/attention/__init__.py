"""Attention over pages: one function for decode and prefill, with several backends behind it."""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from gpu.attention.gather import Gather
from gpu.batch import Batch


class Backend(Protocol):
    """One way of computing the same attention."""

    def attend(
        self, Q: Tensor, K: Tensor, V: Tensor, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """Causal attention of a batch's last tokens over the blocks of their sequences.

        Q: (n, h, d_k), the queries of all sequences one behind the other; K, V: one layer's pool
        (blocks, block_size, h_kv, d_k). Result: (n, h, d_k), and with `lse` the logarithm of
        Σ e^score (n, h) in float32. Query head g reads K/V head g // (h / h_kv). A query that
        sees no key gives 0 and −∞.
        """
        ...


BACKENDS: tuple[str, ...] = ("gather",)


def make_backend(name: str) -> Backend:
    """A backend by name; ValueError, with the known ones, where there is none."""
    if name == "gather":
        return Gather()
    raise ValueError(f"unknown backend {name!r}; known: {', '.join(BACKENDS)}")
