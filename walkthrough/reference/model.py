"""A language model small enough to check by hand: embeddings, attention, an output layer.

It leaves out what a real transformer adds around attention (positions, residual paths,
norms, feed-forward layers): none of these reads the K/V cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from walkthrough.paging.token_ids import check_token_ids
from walkthrough.reference.attention import project
from walkthrough.reference.cache import KVCache, LayerCache
from walkthrough.reference.work import Array, Work, matmul


@dataclass(frozen=True)
class Layer:
    """The weights of one attention layer."""

    W_Q: Array  # (h, d_model, d_k)
    W_K: Array  # (h_kv, d_model, d_k)
    W_V: Array  # (h_kv, d_model, d_k)
    W_O: Array  # (h · d_k, d_model)


class LanguageModel(Protocol):
    """What generation asks of a model: the toy's `Model` has it, and the real `Llama`."""

    @property
    def eos(self) -> int:
        """The id at which generation ends."""
        ...

    @property
    def vocabulary(self) -> int:
        """How many token ids there are."""
        ...

    def hidden(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        cache: LayerCache,
        work: Work | None = None,
    ) -> Array:
        """Rows behind the last layer, (n, d_model), of tokens that the cache has made room for."""
        ...

    def logits(self, hidden: Array, work: Work | None = None) -> Array:
        """Scores of the token that comes next: (n, d_model) → (n, vocabulary)."""
        ...


@dataclass(frozen=True)
class Model:
    """All weights. Token ids are the row numbers of `embedding`."""

    embedding: Array  # (vocabulary, d_model)
    layers: tuple[Layer, ...]
    W_vocab: Array  # (d_model, vocabulary)
    eos: int  # the id at which generation ends

    @property
    def vocabulary(self) -> int:
        """How many token ids there are."""
        return len(self.embedding)

    def hidden(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],  # not looked at: this model knows no order but the causal one
        cache: LayerCache,
        work: Work | None = None,
    ) -> Array:
        """Rows behind the last layer, (n, d_model), of tokens that the cache has made room for."""
        x = self.embedding[list(token_ids)]  # (n, d_model)
        if work is not None:
            work.weight_bytes_read += x.nbytes
        for i, layer in enumerate(self.layers):
            Q = project(x, layer.W_Q, work).transpose(1, 0, 2)  # (n, h, d_k)
            K = project(x, layer.W_K, work).transpose(1, 0, 2)  # (n, h_kv, d_k)
            V = project(x, layer.W_V, work).transpose(1, 0, 2)
            if work is not None:
                work.store(K, V)
            cache.write(i, K, V)
            heads = cache.attend(i, Q, work)  # (n, h, d_k)
            side_by_side = heads.reshape(len(x), -1)  # (n, h · d_k)
            x = matmul(side_by_side, layer.W_O, work, ("heads", "W_O"))  # (n, d_model)
        return x

    def logits(self, hidden: Array, work: Work | None = None) -> Array:
        """Scores of the token that comes next: (n, d_model) → (n, vocabulary)."""
        return matmul(hidden, self.W_vocab, work, ("x", "W_vocab"))


def extend(model: LanguageModel, token_ids: Sequence[int], cache: KVCache) -> list[int]:
    """Make room for tokens after checking their ids; returns their positions."""
    if not len(token_ids):
        raise ValueError("there is no token to feed")
    check_token_ids(token_ids, model.vocabulary)
    start = cache.num_computed_tokens
    cache.extend(token_ids)
    return list(range(start, start + len(token_ids)))


def forward(
    model: LanguageModel, token_ids: Sequence[int], cache: KVCache, work: Work | None = None
) -> Array:
    """Logits of the n tokens fed: (n, vocabulary). Row i speaks about the token after token i."""
    positions = extend(model, token_ids, cache)
    return model.logits(model.hidden(token_ids, positions, cache, work), work)


def next_logits(
    model: LanguageModel, token_ids: Sequence[int], cache: KVCache, work: Work | None = None
) -> Array:
    """The last row of `forward` alone, (vocabulary,): all that choosing the next token takes."""
    positions = extend(model, token_ids, cache)
    last: Array = model.logits(model.hidden(token_ids, positions, cache, work)[-1:], work)[0]
    return last


@dataclass(frozen=True)
class GenerationStep:
    """One forward pass of `generate`: what went in, what came out, what it took."""

    fed: tuple[int, ...]  # the token ids fed
    logits: Array  # (n, vocabulary), a row for each of them
    next_token: int  # chosen from the last row
    work: Work


def generate(
    model: LanguageModel, prompt: Sequence[int], cache: KVCache, max_new_tokens: int = 16
) -> Iterator[GenerationStep]:
    """Greedy generation: the first step is the prefill, each further one a decode step.

    The loop is the same with and without a cache: it feeds what the cache does not hold.
    Ends after the step that chooses `model.eos`, or after `max_new_tokens` steps.
    """
    if not len(prompt):
        raise ValueError("the prompt is empty: generation needs at least one token to start from")
    tokens = list(prompt)
    for _ in range(max_new_tokens):
        fed = tokens[cache.num_computed_tokens :]
        if not fed:
            stored = cache.num_computed_tokens
            raise ValueError(
                f"the cache holds {stored} tokens already, the prompt has {len(tokens)}"
            )
        work = Work()
        logits = forward(model, fed, cache, work)
        next_token = int(np.argmax(logits[-1]))  # the last position speaks about the next token
        yield GenerationStep(tuple(fed), logits, next_token, work)
        if next_token == model.eos:
            return
        tokens.append(next_token)


def greedy_tokens(
    model: LanguageModel, prompt: Sequence[int], cache: KVCache, max_new_tokens: int = 16
) -> list[int]:
    """The likeliest tokens behind a prompt, with any cache: `generate` without what it shows."""
    tokens = list(prompt)
    for _ in range(max_new_tokens):
        logits = next_logits(model, tokens[cache.num_computed_tokens :], cache)
        tokens.append(int(logits.argmax()))
        if tokens[-1] == model.eos:
            break
    return tokens[len(prompt) :]
