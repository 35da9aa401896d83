"""Attention over pages: one function for decode and prefill, with several backends behind it."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # kernels are compiled ahead of time without torch
    import torch
    from torch import Tensor

    from gpu.batch import Batch
    from gpu.smaller.quantised import Pool


class Backend(Protocol):
    """One way of computing the same attention."""

    def attend(
        self, Q: Tensor, K: Pool, V: Pool, batch: Batch, lse: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        """Causal attention of a batch's last tokens over the blocks of their sequences.

        Q: (n, h, d_k), the queries of all sequences one behind the other; K, V: one layer's pool
        (blocks, block_size, h_kv, d_k), as tensors, or as `RoundedRows` in 8 bits where the
        backend is one of `EIGHT_BITS`. Result: (n, h, d_k), and with `lse` the logarithm of
        Σ e^score (n, h) in float32, where the backend has it. Query head g reads K/V head
        g // (h / h_kv). A query that sees no key gives 0 and −∞. ValueError, in the same words
        from every backend, where these do not fit together: `gpu.attention.inputs`.
        """
        ...


BACKENDS = ("gather", "compiled", "triton", "flex", "varlen")
EIGHT_BITS = ("gather", "compiled", "triton")  # those that read 8-bit pools


def make_backend(name: str) -> Backend:
    """A backend by name; ValueError, with the known ones, where there is none."""
    if name == "gather":
        from gpu.attention.gather import Gather

        return Gather()
    if name == "compiled":
        from gpu.attention.compiled import Compiled

        return Compiled()
    if name == "triton":
        from gpu.attention.paged_triton import PagedTriton

        return PagedTriton()
    if name == "flex":
        from gpu.attention.flex import Flex

        return Flex()
    if name == "varlen":
        from gpu.attention.varlen import Varlen

        return Varlen()
    raise ValueError(f"unknown backend {name!r}; known: {', '.join(BACKENDS)}")


def why_not(
    name: str,
    device: torch.device,
    dtype: torch.dtype,
    block_size: int,
    codes: torch.dtype | None = None,
) -> str | None:
    """Why a backend cannot or should not run here, as the key of a sentence; None where it can.

    `codes`: the dtype that K and V are kept in where that is 8 bits, int8 or float8_e4m3fn.
    """
    import torch

    from gpu.attention.launches import lacks_matrix

    if codes is not None and name not in EIGHT_BITS:
        return "codes"
    if name == "compiled" or (name == "flex" and device.type != "cpu"):
        from gpu.attention.compiled import has_compiler

        return None if has_compiler(device) else "compiler"
    if name == "triton":
        if importlib.util.find_spec("triton") is None:
            return "no_triton"
        if device.type == "cuda":  # where asked for all the same, prefill goes through `gather`
            card = torch.cuda.get_device_capability(device)
            return "matrix" if lacks_matrix(card, dtype.itemsize) else None
        return "interpreter" if dtype == torch.bfloat16 else None
    if name == "varlen":
        if device.type != "cuda":
            return "cuda"
        if importlib.util.find_spec("torch.nn.attention.varlen") is None:
            return "old_torch"
        if block_size % 256:
            return "page"
        return None if dtype.itemsize == 2 else "wide"
    return None
