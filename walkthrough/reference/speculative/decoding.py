"""Speculative decoding: guesses go through the model together, and those that stand are kept.

The model is run over all guesses at once, as over a piece of a prompt, so that one read of the
weights may bring several tokens. Which tokens come out, or with what probability, does not depend
on the guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.paging.block_pool import OutOfBlocksError
from walkthrough.reference.cache import CacheFullError, KVCache
from walkthrough.reference.model import LanguageModel, extend
from walkthrough.reference.speculative.acceptance import Draw, certain, verify_guesses
from walkthrough.reference.speculative.drafts import Draft, LawOf, likeliest
from walkthrough.reference.work import Work


@dataclass(frozen=True)
class SpeculativeStep:
    """One run of the model: what it was fed, what was guessed, and the tokens that came of it."""

    fed: tuple[int, ...]  # tokens that the cache did not hold, without the guesses behind them
    guesses: tuple[int, ...]
    accepted: int  # of the guesses
    tokens: tuple[int, ...]  # accepted guesses and one more; up to the end of sequence
    work: Work


def speculate(
    model: LanguageModel,
    prompt: Sequence[int],
    cache: KVCache,
    draft: Draft,
    max_new_tokens: int = 16,
    *,
    ahead: int = 4,
    law_of: LawOf = likeliest,
    draw: Draw = certain,
) -> Iterator[SpeculativeStep]:
    """Generate with up to `ahead` guesses a run: greedily, or by any `law_of` logits and a `draw`.

    The same tokens as without guesses, or by the same law; behind each step the cache holds what
    it holds then: all tokens but the last. Where there is no room for guesses, the model is run
    without.
    """
    if not len(prompt):
        raise ValueError("the prompt is empty: generation needs at least one token to start from")
    tokens, end = list(prompt), len(prompt) + max_new_tokens
    while len(tokens) < end:
        room = min(ahead, end - len(tokens) - 1)  # a run brings one token more than guesses
        guesses, q = draft.guess(tokens, room, law_of, draw) if room > 0 else ([], [])
        if len(guesses) > room or len(q) != len(guesses):
            raise ValueError(
                f"the draft gave {len(guesses)} guesses and {len(q)} laws, asked for {room}"
            )
        fed, work = tokens[cache.num_computed_tokens :], Work()
        try:
            positions = extend(model, [*fed, *guesses], cache)
        except (CacheFullError, OutOfBlocksError):
            if not guesses:
                raise
            guesses, q = [], []
            positions = extend(model, fed, cache)
        hidden = model.hidden([*fed, *guesses], positions, cache, work)
        logits = model.logits(hidden[len(fed) - 1 :], work)  # (guesses + 1, vocabulary)
        p = np.array([law_of(row) for row in logits])
        new = verify_guesses(guesses, np.array(q), p, draw)
        accepted = len(new) - 1
        if model.eos in new:
            del new[new.index(model.eos) + 1 :]
        tokens += new
        cache.roll_back(max(cache.num_computed_tokens - len(tokens) + 1, 0))
        step = tuple(fed), tuple(guesses), min(accepted, len(new)), tuple(new)
        yield SpeculativeStep(*step, work)
        if tokens[-1] == model.eos:
            return
