"""Where guesses come from: the text itself, or a smaller model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from walkthrough.paging.block_pool import OutOfBlocksError
from walkthrough.reference.cache import CacheFullError, KVCache
from walkthrough.reference.model import LanguageModel, next_logits
from walkthrough.reference.speculative.acceptance import Draw, Law

LawOf = Callable[[Any], Law]  # of logits (vocabulary,): `likeliest`, or `probabilities`


class Draft(Protocol):
    """Guesses how a text goes on. Bad guesses cost time, and change nothing else."""

    def guess(
        self, token_ids: Sequence[int], n: int, law_of: LawOf, draw: Draw
    ) -> tuple[list[int], Sequence[Law]]:
        """At most n tokens behind these, and for each the law that it was drawn by."""
        ...


def likeliest(logits: Any) -> Law:
    """The law of greedy decoding: all on the token with the largest score. (vocabulary,) → same."""
    return certainly(int(logits.argmax()), len(logits))


def certainly(token: int, vocabulary: int) -> Law:
    """The law under which this token alone can come: (vocabulary,)."""
    law = np.zeros(vocabulary)
    law[token] = 1
    return law


class PromptLookup:
    """What stood behind the last tokens when they came before: no model, and hardly any time.

    Source: Saxena, "Prompt Lookup Decoding" (2023). Good where a text repeats what it was given:
    code that is changed, a summary, an answer with quotations.
    """

    def __init__(self, vocabulary: int, longest: int = 3) -> None:
        """`longest`: how many of the last tokens are looked for; where those are new, fewer."""
        if longest < 1:
            raise ValueError(f"longest must be at least 1, got {longest}")
        self.vocabulary, self.longest = vocabulary, longest

    def guess(
        self, token_ids: Sequence[int], n: int, law_of: LawOf, draw: Draw
    ) -> tuple[list[int], Sequence[Law]]:
        """What followed at the latest place; nothing where there is none."""
        tokens = list(token_ids)
        for length in range(min(self.longest, len(tokens) - 1), 0, -1):
            last = tokens[-length:]
            for start in range(len(tokens) - length - 1, -1, -1):
                if tokens[start : start + length] == last:
                    guesses = tokens[start + length : start + length + n]
                    return guesses, [certainly(token, self.vocabulary) for token in guesses]
        return [], []


class ModelDraft:
    """A smaller model over a cache of its own, for one text that grows.

    Where its cache has no more room it guesses less.
    """

    def __init__(self, model: LanguageModel, cache: KVCache) -> None:
        self.model, self.cache = model, cache
        self._fed: list[int] = []  # what the cache holds, if it holds anything

    def guess(
        self, token_ids: Sequence[int], n: int, law_of: LawOf, draw: Draw
    ) -> tuple[list[int], Sequence[Law]]:
        """N tokens, one after the other; what it guessed wrong the last time is taken back."""
        self._keep(token_ids)
        tokens, laws = list(token_ids), list[Law]()
        for _ in range(n):
            fed = tokens[self.cache.num_computed_tokens :]
            try:
                logits = next_logits(self.model, fed, self.cache)
            except (CacheFullError, OutOfBlocksError):
                break
            self._fed = list(tokens)
            laws.append(law_of(logits))
            tokens.append(draw(laws[-1]))
        return tokens[len(token_ids) :], laws

    def _keep(self, token_ids: Sequence[int]) -> None:
        same = 0
        for a, b in zip(self._fed, token_ids[:-1], strict=False):  # the last one gives the logits
            if a != b:
                break
            same += 1
        self.cache.roll_back(max(self.cache.num_computed_tokens - same, 0))
        del self._fed[same:]


AnyModel = TypeVar("AnyModel", bound=Any)


def fewer_layers(model: AnyModel, layers: Sequence[int]) -> AnyModel:
    """The same model with these of its layers alone, in order: a draft that needs no training.

    Embedding and output layer are the model's own, and not copied. Raises ValueError for a layer
    that there is not.
    """
    for i in layers:
        if not 0 <= i < len(model.layers):
            raise ValueError(f"layer {i} is not one of 0 … {len(model.layers) - 1}")
    if not layers:
        raise ValueError("a draft needs at least one layer")
    return dataclasses.replace(model, layers=tuple(model.layers[i] for i in layers))
