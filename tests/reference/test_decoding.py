"""Parallel sampling and beam search on forks: equal to each continuation computed alone."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.document.example import Example
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.batch import next_logits_each
from walkthrough.reference.cache import NoCache
from walkthrough.reference.decoding import (
    Continuation,
    beam_search,
    log_softmax,
    parallel_sampling,
)
from walkthrough.reference.model import Model, forward, generate
from walkthrough.reference.paged import PagedCache, PagedStorage


def paged(block_size: int, num_blocks: int = 60, **sizes: int) -> PagedCache:
    storage = PagedStorage(num_blocks, block_size, 2, **sizes)
    return PagedCache(storage, Sequence(BlockPool(num_blocks), block_size))


def score_alone(model: Model, prompt: list[int], tokens: tuple[int, ...]) -> float:
    """Log-probability of the tokens, each from a run without any cache."""
    total = 0.0
    for i, token in enumerate(tokens):
        logits = forward(model, [*prompt, *tokens[:i]], NoCache())[-1]
        total += log_softmax(logits)[token]
    return total


def assert_as_if_alone(model: Model, prompt: list[int], found: list[Continuation]) -> None:
    for c in found:
        assert c.log_probability == pytest.approx(score_alone(model, prompt, c.tokens), abs=1e-8)
        if not c.done:
            alone = forward(model, [*prompt, *c.tokens], NoCache())[-1]
            np.testing.assert_allclose(c.logits, alone, atol=1e-8)


def test_14_forks_that_do_not_fit_are_given_back() -> None:
    ending = random_model(np.random.default_rng(3), layers=1, h=1, h_kv=1, d_k=2)
    model = dataclasses.replace(ending, eos=-1)  # never ends by itself
    prompt, rng = [1, 2, 3], np.random.default_rng(0)
    for run in (
        lambda cache: beam_search(model, prompt, cache, 3, 9),
        lambda cache: parallel_sampling(model, prompt, cache, 4, rng, 9),
    ):
        cache = paged(2, num_blocks=4)
        with pytest.raises(OutOfBlocksError):
            list(run(cache))
        cache.free()
        assert cache.sequence.pool.num_used_blocks == 0


def test_14_where_one_of_several_cannot_be_fed_none_is() -> None:
    model = random_model(np.random.default_rng(3), layers=1, h=1, h_kv=1, d_k=2)
    pool, storage = BlockPool(4), PagedStorage(4, 2, 2)
    prefixes = PrefixCache(pool, 2)
    caches = [PagedCache(storage, Sequence(pool, 2, prefixes)) for _ in range(2)]
    for second, error in (([4, 5, 6], OutOfBlocksError), ([99], ValueError)):
        with pytest.raises(error):
            next_logits_each(model, [[1, 2, 3], second], caches)
        assert [cache.num_computed_tokens for cache in caches] == [0, 0]
        assert pool.num_used_blocks == 0
        assert prefixes.match([1, 2, 3]) == []


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 4))
def test_14_each_beam_equals_the_one_computed_alone_and_nothing_leaks(
    seed: int, block_size: int, width: int
) -> None:
    model = random_model(np.random.default_rng(seed), layers=2, h=2, h_kv=1, d_k=2)
    prompt, cache = [1, 2, 3], paged(block_size, layers=2)
    pool = cache.sequence.pool
    for beams in beam_search(model, prompt, cache, width, max_new_tokens=4):
        assert len(beams) == width
        scores = [beam.log_probability for beam in beams]
        # Best first; scores that are equal but for rounding stand in any order.
        assert all(a > b - 1e-8 for a, b in itertools.pairwise(scores))
        assert_as_if_alone(model, prompt, beams)
    for beam in beams:
        beam.cache.free()
    assert pool.num_free_blocks == pool.num_blocks - 1


def test_a_wide_beam_finds_the_likeliest_of_all_continuations() -> None:
    model = random_model(np.random.default_rng(7), layers=1, h=1, h_kv=1, d_k=2)
    prompt = [1, 2]
    every: list[tuple[int, ...]] = [(0,)]  # ends at once
    for first in range(1, 7):
        every += [(first, 0)]
        every += [(first, *rest) for rest in itertools.product(range(1, 7), range(7))]
    expected = sorted((score_alone(model, prompt, tokens) for tokens in every), reverse=True)[:5]
    *_, beams = beam_search(model, prompt, paged(2, 400), 60, max_new_tokens=3)
    np.testing.assert_allclose([b.log_probability for b in beams[:5]], expected, atol=1e-8)


def test_a_beam_of_1_is_greedy(ex: Example) -> None:
    cache = paged(2, h_kv=ex.heads)
    *_, (beam,) = beam_search(ex.model, ex.ids(ex.prompt), cache, 1)
    greedy = [s.next_token for s in generate(ex.model, ex.ids(ex.prompt), NoCache())]
    assert list(beam.tokens) == greedy


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_each_sample_equals_the_one_computed_alone(seed: int, block_size: int, n: int) -> None:
    model = random_model(np.random.default_rng(seed), layers=2, h=2, h_kv=2, d_k=2)
    prompt, cache = [4, 5, 6], paged(block_size, layers=2, h_kv=2)
    pool, rng = cache.sequence.pool, np.random.default_rng(seed)
    for samples in parallel_sampling(model, prompt, cache, n, rng, max_new_tokens=4):
        assert_as_if_alone(model, prompt, samples)
    for sample in samples:
        sample.cache.free()
    assert pool.num_free_blocks == pool.num_blocks - 1


def test_samples_share_the_prompt_and_copy_only_its_last_block() -> None:
    model = random_model(np.random.default_rng(1), layers=1, h=1, h_kv=1, d_k=2)
    cache = paged(4)
    pool, copied = cache.sequence.pool, []
    pool.listeners.append(lambda e: copied.append(e) if e.kind == "copied" else None)
    prompt = [1, 2, 3, 4, 5, 6]  # a full block and a half
    rng = np.random.default_rng(3)
    samples = next(parallel_sampling(model, prompt, cache, 3, rng))
    assert not any(sample.done for sample in samples)
    assert len({sample.cache.sequence.block_table[0] for sample in samples}) == 1
    assert len({sample.cache.sequence.block_table[1] for sample in samples}) == 3
    assert len(copied) == 2  # the last one to write has the block to itself


def test_log_softmax_of_large_logits() -> None:
    np.testing.assert_allclose(log_softmax(np.array([1000.0, 1000.0])), np.log(0.5))
