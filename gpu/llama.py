"""The llama of `walkthrough.llm.llama` in torch, line by line, over the torch cache.

The weights are the NumPy model's own where they lie on the CPU: nothing is copied.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import fields
from typing import Protocol

import torch
from torch import Tensor
from torch.nn.functional import rms_norm, silu

from gpu.cache import PagedCache
from gpu.storage import PagedStorage
from walkthrough.llm.llama import Llama, LlamaLayer
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.work import Work


class TorchLayerCache(Protocol):
    """What a forward pass asks for: `gpu.cache.PagedCache` and `BatchCache` have it."""

    def write(self, layer: int, K: Tensor, V: Tensor) -> None:
        """Store a layer's rows of the n tokens: K and V (n, h_kv, d_k)."""
        ...

    def attend(self, layer: int, Q: Tensor) -> Tensor:
        """Causal attention of the n tokens over all that is stored: (n, h, d_k) → same."""
        ...


class TorchLlama:
    """A llama's weights as tensors; the same methods as `Llama`, which generation asks for."""

    def __init__(
        self,
        model: Llama,
        device: str | torch.device = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> None:
        def tensor(name: str, layer: LlamaLayer | Llama) -> Tensor:
            return torch.from_numpy(getattr(layer, name)).to(device, dtype)

        self.eos, self.vocabulary, self.eps = model.eos, model.vocabulary, model.eps
        self.h, self.h_kv, self.d_k = model.h, model.h_kv, model.d_k
        self.device, self.dtype = torch.device(device), dtype
        self.embedding = tensor("embedding", model)  # (vocabulary, d_model)
        self.layers = [
            {field.name: tensor(field.name, layer) for field in fields(layer)}
            for layer in model.layers
        ]
        self.norm = tensor("norm", model)
        self.W_vocab = self.embedding.T if model.tied else tensor("W_vocab", model)
        # Angles are kept in float32 at least: in half precision, far positions would run together.
        self.frequencies = torch.from_numpy(model.frequencies).to(device, torch.float32)

    @torch.inference_mode()
    def hidden(
        self,
        token_ids: SequenceOf[int],
        positions: SequenceOf[int],
        cache: TorchLayerCache,
        work: Work | None = None,
    ) -> Tensor:
        """Rows behind the last layer, (n, d_model), of tokens that the cache has made room for."""
        n = len(token_ids)
        x = self.embedding[torch.tensor(token_ids, device=self.device)]  # (n, d_model)
        angles = torch.tensor(positions, device=self.device)[:, None, None] * self.frequencies
        turns = torch.polar(torch.ones_like(angles), angles)  # (n, 1, d_k / 2)
        for i, layer in enumerate(self.layers):
            u = self._normed(x, layer["attention_norm"])  # (n, d_model)
            Q = (u @ layer["W_Q"]).view(n, self.h, self.d_k)
            K = (u @ layer["W_K"]).view(n, self.h_kv, self.d_k)
            V = (u @ layer["W_V"]).view(n, self.h_kv, self.d_k)
            if work is not None:
                work.k_rows += n
                work.v_rows += n
            cache.write(i, rotate(K, turns), V)
            heads = cache.attend(i, rotate(Q, turns))  # (n, h, d_k)
            x = x + heads.reshape(n, -1) @ layer["W_O"]  # (n, d_model)
            u = self._normed(x, layer["mlp_norm"])
            x = x + (silu(u @ layer["W_gate"]) * (u @ layer["W_up"])) @ layer["W_down"]
        return self._normed(x, self.norm)

    @torch.inference_mode()
    def logits(self, hidden: Tensor, work: Work | None = None) -> Tensor:
        """Scores of the token that comes next: (n, d_model) → (n, vocabulary)."""
        return hidden @ self.W_vocab

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        return rms_norm(x, x.shape[-1:], weight, self.eps)


def over_blocks(
    model: Llama, block_size: int, length: int, *, threads: int | None = None
) -> tuple[TorchLlama, PagedCache]:
    """The model in torch, and a cache for one sequence up to a length, on the CPU.

    `threads`: on how many torch computes from now on; None leaves that as it is.
    """
    if threads is not None:
        torch.set_num_threads(threads)
    tensors, num_blocks = TorchLlama(model), -(-length // block_size) + 1
    shape = model.cache_shape | {"dtype": tensors.dtype}
    storage = PagedStorage(num_blocks, block_size, **shape)
    return tensors, PagedCache(storage, Sequence(BlockPool(num_blocks), block_size))


def rotate(rows: Tensor, turns: Tensor) -> Tensor:
    """RoPE over pairs of neighbours, each read as a complex number: (n, heads, d_k) → same."""
    pairs = torch.view_as_complex(
        rows.float().reshape(*rows.shape[:-1], -1, 2)
    )  # (n, heads, d_k / 2)
    return torch.view_as_real(pairs * turns).flatten(-2).to(rows.dtype)
