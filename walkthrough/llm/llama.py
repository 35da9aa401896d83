"""A real language model over the same cache: the llama architecture, in NumPy.

To be read beside `model.Model`: around the same attention stand now what that one left out,
norms, positions, residual paths and feed-forward layers. Sources: Touvron et al., "LLaMA"
(2023); RMSNorm: Zhang and Sennrich (2019); RoPE: Su et al., "RoFormer" (2021); grouped
queries: Ainslie et al. (2023); SwiGLU: Shazeer (2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from walkthrough.reference.cache import LayerCache
from walkthrough.reference.work import Array, Work, matmul


@dataclass(frozen=True, repr=False)  # millions of numbers
class LlamaLayer:
    """The weights of one layer, each to be multiplied from the right, as in the toy."""

    attention_norm: Array  # (d_model,)
    W_Q: Array  # (d_model, h · d_k)
    W_K: Array  # (d_model, h_kv · d_k)
    W_V: Array  # (d_model, h_kv · d_k)
    W_O: Array  # (h · d_k, d_model)
    mlp_norm: Array  # (d_model,)
    W_gate: Array  # (d_model, d_ff)
    W_up: Array  # (d_model, d_ff)
    W_down: Array  # (d_ff, d_model)


@dataclass(frozen=True, repr=False)  # millions of numbers
class Llama:
    """All weights, and the numbers that shape them. Token ids are the rows of `embedding`."""

    embedding: Array  # (vocabulary, d_model)
    layers: tuple[LlamaLayer, ...]
    norm: Array  # (d_model,)
    W_vocab: Array  # (d_model, vocabulary); where tied, the embedding transposed: a view
    h: int
    h_kv: int
    d_k: int
    frequencies: Array  # (d_k / 2,), the angle by which a position turns each pair
    eps: float  # of the norms
    eos: int
    context_length: int  # positions that the model was trained for

    @property
    def vocabulary(self) -> int:
        """How many token ids there are."""
        return len(self.embedding)

    @property
    def tied(self) -> bool:
        """Whether the output layer is the embedding."""
        return np.may_share_memory(self.W_vocab, self.embedding)

    @property
    def cache_shape(self) -> dict[str, Any]:
        """What a cache for this model is made with: `ContiguousCache(capacity, **cache_shape)`."""
        return {
            "d_k": self.d_k,
            "layers": len(self.layers),
            "h_kv": self.h_kv,
            "dtype": self.embedding.dtype,
        }

    @property
    def bytes_per_token(self) -> int:
        """What K and V of one token take in all layers."""
        return 2 * len(self.layers) * self.h_kv * self.d_k * self.embedding.dtype.itemsize

    def hidden(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        cache: LayerCache,
        work: Work | None = None,
    ) -> Array:
        """Rows behind the last layer, (n, d_model), of tokens that the cache has made room for."""
        n = len(token_ids)
        x = self.embedding[list(token_ids)]  # (n, d_model)
        if work is not None:
            work.weight_bytes_read += x.nbytes
        turns = rotations(positions, self.frequencies)  # (n, 1, d_k / 2)
        for i, layer in enumerate(self.layers):
            u = rms_norm(x, layer.attention_norm, self.eps)  # (n, d_model)
            Q = matmul(u, layer.W_Q, work).reshape(n, self.h, self.d_k)
            K = matmul(u, layer.W_K, work).reshape(n, self.h_kv, self.d_k)
            V = matmul(u, layer.W_V, work).reshape(n, self.h_kv, self.d_k)
            if work is not None:
                work.store(K, V)
            cache.write(i, rotate(K, turns), V)  # positions are in K before it is stored
            heads = cache.attend(i, rotate(Q, turns), work)  # (n, h, d_k)
            x += matmul(heads.reshape(n, -1), layer.W_O, work)  # (n, d_model)
            u = rms_norm(x, layer.mlp_norm, self.eps)
            gated = silu(matmul(u, layer.W_gate, work)) * matmul(u, layer.W_up, work)  # (n, d_ff)
            x += matmul(gated, layer.W_down, work)  # (n, d_model)
        return rms_norm(x, self.norm, self.eps)

    def logits(self, hidden: Array, work: Work | None = None) -> Array:
        """Scores of the token that comes next: (n, d_model) → (n, vocabulary)."""
        return matmul(hidden, self.W_vocab, work)


def rms_norm(x: Array, weight: Array, eps: float) -> Array:
    """Each row divided by the root of its mean square, times a weight: (n, d) → (n, d)."""
    mean_square = np.einsum("nd,nd->n", x, x)[:, None] / x.shape[-1]  # (n, 1)
    normed: Array = x / np.sqrt(mean_square + np.asarray(eps, x.dtype)) * weight
    return normed


def rotations(positions: Sequence[int], frequencies: Array) -> NDArray[np.complexfloating]:
    """e^(i · position · frequency), a turn for each pair of numbers: (n, 1, d_k / 2)."""
    turns: NDArray[np.complexfloating] = np.exp(
        1j * np.asarray(positions)[:, None, None] * frequencies
    )
    return turns


def rotate(rows: Array, turns: NDArray[np.complexfloating]) -> Array:
    """RoPE: each pair of neighbours (2i, 2i + 1), read as one complex number, is turned.

    rows: (n, heads, d_k) → same. How much a query and a key meet then depends on the distance
    between their positions alone. GGUF files store the rows of W_Q and W_K for such pairs.
    """
    pairs = np.ascontiguousarray(rows).view(np.result_type(rows.dtype, np.complex64))
    turned: Array = (pairs * turns.astype(pairs.dtype)).view(rows.dtype)
    return turned


def silu(x: Array) -> Array:
    """Each number times its own sigmoid: x / (1 + e^(−x)). Same shape."""
    with np.errstate(over="ignore"):  # e^(−x) = ∞ gives the right 0
        gated: Array = x / (1 + np.exp(-x))
    return gated
