"""Several continuations of one prompt over shared blocks: parallel sampling and beam search.

The prompt is computed once. A continuation is a fork of the cache: it shares every block until
it writes into one (copy-on-write).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from walkthrough.reference.batch import next_logits_each
from walkthrough.reference.model import LanguageModel, next_logits
from walkthrough.reference.paged import PagedCache
from walkthrough.reference.sampling import log_softmax, sample_token
from walkthrough.reference.work import Array


@dataclass(frozen=True)
class Continuation:
    """New tokens behind a prompt, what they score, and the cache that holds their rows."""

    tokens: tuple[int, ...]
    log_probability: float  # sum over the new tokens
    cache: PagedCache
    logits: Array  # (vocabulary,), about the token that comes next
    done: bool = False  # the last token is the end of sequence
    parent: int = 0  # which continuation of the step before it goes on from


def _prefill(model: LanguageModel, prompt: Sequence[int], cache: PagedCache) -> Continuation:
    logits = next_logits(model, prompt[cache.num_computed_tokens :], cache)
    return Continuation((), 0.0, cache, logits)


def _extended(
    model: LanguageModel, continuations: Sequence[Continuation], tokens: Sequence[int | None]
) -> list[Continuation]:
    """Each with one more token, or as it was for None; the end of sequence is not fed any more."""
    grown = list(continuations)
    for i, (one, token) in enumerate(zip(continuations, tokens, strict=True)):
        if token is not None:
            log_p = float(log_softmax(one.logits.astype(np.float64))[token])
            grown[i] = replace(
                one,
                tokens=(*one.tokens, token),
                log_probability=one.log_probability + log_p,
                done=token == model.eos,
            )
    fed = [i for i, token in enumerate(tokens) if token is not None and not grown[i].done]
    if fed:
        caches = [grown[i].cache for i in fed]
        rows = next_logits_each(model, [grown[i].tokens[-1:] for i in fed], caches)
        for i, logits in zip(fed, rows, strict=True):
            grown[i] = replace(grown[i], logits=logits)
    return grown


def parallel_sampling(
    model: LanguageModel,
    prompt: Sequence[int],
    cache: PagedCache,
    n: int,
    rng: np.random.Generator,
    max_new_tokens: int = 16,
    *,
    temperature: float = 1.0,
    top_p: float = 1.0,
) -> Iterator[list[Continuation]]:
    """N continuations, each token drawn by its probability; yields all of them after each step."""
    first = _prefill(model, prompt, cache)
    samples = [first, *(replace(first, cache=cache.fork()) for _ in range(n - 1))]
    for _ in range(max_new_tokens):
        tokens = [
            None if sample.done else sample_token(sample.logits, rng, temperature, top_p)
            for sample in samples
        ]
        numbered = [replace(sample, parent=i) for i, sample in enumerate(samples)]
        try:
            samples = _extended(model, numbered, tokens)
        except Exception:  # the forks are nobody's then
            for sample in samples[1:]:
                sample.cache.free()
            raise
        yield samples
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
            scores = beam.log_probability + log_softmax(beam.logits.astype(np.float64))
            # No beam can have more children than `width`; its best ones, in order of their ids.
            best = np.argsort(-_rounded(scores), kind="stable")[:width]
            candidates += [(float(scores[token]), parent, token) for token in sorted(best.tolist())]
        chosen = sorted(candidates, key=lambda candidate: -_rounded(candidate[0]))[:width]
        children = [
            replace(beams[parent], cache=beams[parent].cache.fork(), parent=parent)
            for _, parent, _ in chosen
        ]
        for beam in beams:
            beam.cache.free()
        try:
            beams = _extended(model, children, [token for _, _, token in chosen])
        except Exception:  # the forks are nobody's then
            for child in children:
                child.cache.free()
            raise
        yield beams
        if all(beam.done for beam in beams):
            return


def _rounded(score: Array | float) -> Array:
    """Scores that are equal but for rounding stay in order: the same beams on every processor."""
    return np.round(np.asarray(score), 9)
