"""The example as data: tokens, embeddings and weights of a small attention model."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from walkthrough.reference.computed import computed
from walkthrough.reference.model import Layer, Model
from walkthrough.reference.work import Array


@dataclass(frozen=True)
class Example:
    """Tokens, embeddings and weights of a small attention model, each with its origin."""

    title: str
    tokens: tuple[str, ...]  # the vocabulary: a token's id is its place
    prompt: tuple[str, ...]
    eos: str
    embedding: Array  # (vocabulary, d_model)
    W_Q: Array  # (h, d_model, d_k)
    W_K: Array  # (h, d_model, d_k)
    W_V: Array  # (h, d_model, d_k)
    W_O: Array  # (h · d_k, d_model)
    W_vocab: Array  # (d_model, vocabulary)
    token_origins: tuple[str, ...]
    head_origins: tuple[str, ...]
    output_origin: str

    @property
    def d_model(self) -> int:
        """Numbers in an embedding."""
        return int(self.embedding.shape[1])

    @property
    def heads(self) -> int:
        """Attention heads."""
        return len(self.W_Q)

    @property
    def d_k(self) -> int:
        """Numbers in a row of Q, K or V of one head."""
        return int(self.W_Q.shape[2])

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """Token ids of texts, however they are spelled in Unicode; others raise ValueError."""
        tokens = [unicodedata.normalize("NFC", token) for token in tokens]
        for token in tokens:
            if token not in self.tokens:
                known = ", ".join(self.tokens)
                raise ValueError(f"{token!r} is not one of the tokens: {known}")
        return [self.tokens.index(token) for token in tokens]

    def texts(self, ids: Iterable[int]) -> list[str]:
        """Texts of token ids."""
        return [self.tokens[i] for i in ids]

    def embed(self, tokens: Sequence[str]) -> Array:
        """Embeddings of tokens, a row each: (n, d_model)."""
        ids = self.ids(tokens)
        rows: Array = self.embedding[ids]
        if told := computed.get(None):
            told("rows", rows, (self.embedding,), rows=ids)
        return rows

    def tell(self, *, edit: bool) -> None:
        """Say what is given, to who wants to know; `edit`: the lesson computes with it."""
        if not (told := computed.get(None)):
            return
        told("given", self.embedding, (), name="X", rows=self.tokens, edit=edit)
        for name in ("W_Q", "W_K", "W_V"):
            for i, W in enumerate(getattr(self, name)):
                told("given", W, (), name=name, head=i, heads=self.heads, edit=edit)
        told("given", self.W_O, (), name="W_O", edit=edit)
        told("given", self.W_vocab, (), name="W_vocab", cols=self.tokens, edit=edit)

    @cached_property
    def model(self) -> Model:
        """The same numbers as a model of one layer that can generate."""
        layer = Layer(self.W_Q, self.W_K, self.W_V, self.W_O)
        return Model(self.embedding, (layer,), self.W_vocab, self.ids([self.eos])[0])
