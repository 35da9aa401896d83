"""Several continuations of one prompt over shared blocks: parallel sampling and beam search.

The prompt is computed once. A continuation is a fork of the cache: it shares every block until
it writes into one (copy-on-write).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from walkthrough.reference.model import LanguageModel, next_logits
from walkthrough.reference.paged import PagedCache
from walkthrough.reference.work import Array


def log_softmax(logits: Array) -> Array:
    """Logarithm of the softmax over the last axis; does not overflow. Same shape."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return log_p


@dataclass(frozen=True)
class Continuation:
    """New tokens behind a prompt, what they score, and the cache that holds their rows."""

    tokens: tuple[int, ...]
    log_probability: float  # sum over the new tokens
    cache: PagedCache
    logits: Array  # (vocabulary,), about the token that comes next
    done: bool = False  # the last token is the end of sequence
    parent: int = 0  # which continuation of the step before it goes on from

    def extended(self, model: LanguageModel, token: int, log_probability: float) -> Continuation:
        """With one more token; the end of sequence is not fed any more."""
        done = token == model.eos
        return replace(
            self,
            tokens=(*self.tokens, token),
            log_probability=self.log_probability + log_probability,
            logits=self.logits if done else next_logits(model, [token], self.cache),
            done=done,
        )


def _prefill(model: LanguageModel, prompt: Sequence[int], cache: PagedCache) -> Continuation:
    logits = next_logits(model, prompt[cache.num_computed_tokens :], cache)
    return Continuation((), 0.0, cache, logits)


def parallel_sampling(
    model: LanguageModel,
    prompt: Sequence[int],
    cache: PagedCache,
    n: int,
    rng: np.random.Generator,
    max_new_tokens: int = 16,
) -> Iterator[list[Continuation]]:
    """N continuations, each token drawn by its probability; yields all of them after each step."""
    first = _prefill(model, prompt, cache)
    samples = [first, *(replace(first, cache=cache.fork()) for _ in range(n - 1))]
    for _ in range(max_new_tokens):
        for i, sample in enumerate(samples):
            if not sample.done:
                log_p = log_softmax(sample.logits)
                token = int(rng.choice(len(log_p), p=np.exp(log_p)))
                samples[i] = replace(sample.extended(model, token, log_p[token]), parent=i)
        yield list(samples)
        if all(sample.done for sample in samples):
            return


def beam_search(
    model: LanguageModel,
    prompt: Sequence[int],
    cache: PagedCache,
    width: int,
    max_new_tokens: int = 16,
) -> Iterator[list[Continuation]]:
    """The `width` likeliest continuations, grown together; yields them, best first, step by step.

    Each step forks the parents that were chosen, as often as each was, and frees all of the
    step before: what nobody goes on from loses its blocks.
    """
    beams = [_prefill(model, prompt, cache)]
    for _ in range(max_new_tokens):
        candidates: list[tuple[float, int, int | None]] = []  # (score, parent, token)
        for parent, beam in enumerate(beams):
            if beam.done:
                candidates.append((beam.log_probability, parent, None))
                continue
            for token, log_p in enumerate(log_softmax(beam.logits).tolist()):
                candidates.append((beam.log_probability + log_p, parent, token))
        # Scores that are equal but for rounding keep their order, so that the same beams are
        # chosen on every processor.
        chosen = sorted(candidates, key=lambda candidate: -round(candidate[0], 9))[:width]
        children = [
            replace(beams[parent], cache=beams[parent].cache.fork(), parent=parent)
            for _, parent, _ in chosen
        ]
        for beam in beams:
            beam.cache.free()
        beams = [
            child if token is None else child.extended(model, token, score - child.log_probability)
            for child, (score, _, token) in zip(children, chosen, strict=True)
        ]
        yield list(beams)
        if all(beam.done for beam in beams):
            return
