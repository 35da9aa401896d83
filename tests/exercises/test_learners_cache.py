"""The learner's own PagedCache lives the random life that the reference's lives."""

from __future__ import annotations

import os
from typing import Any

import pytest
from helpers.learners import LearnersCache
from helpers.random_life import D_K, HOST_BLOCKS, NUM_BLOCKS, PLAIN, Life
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, initialize, rule, run_state_machine_as_test

from walkthrough.document.example import Example
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.reference.model import generate

STEPS = int(os.environ.get("PAGING_STEPS", "1000"))


class Pool:
    """What the life asks of a pool, answered by any one of the caches that share it."""

    def __init__(self, cache: LearnersCache) -> None:
        self.cache, self.listeners = cache, ()

    @property
    def ref_cnt(self) -> list[int]:
        return list(self.cache.ref_cnt)

    @property
    def num_free_blocks(self) -> int:
        return int(self.cache.num_free_blocks)


class LearnersLife(Life):
    """The same without what a learner's cache does not have.

    These are events, a prefix cache, windows, taking tokens back, swapping.
    """

    alive: Bundle[Any] = Life.alive
    listen = append_rows_that_are_refused = reset = preempt = resume = None
    submit_what_begins_alike = take_back_and_go_on = swap_there_and_back = None
    rows_are_refused_that_another_counts_on = compute_again_what_a_fork_went_on_from = None
    cached_blocks_hold_what_they_are_known_for = None

    @initialize(block_size=st.sampled_from([1, 2, 4]))
    def start(self, block_size: int) -> None:
        self.block_size, self.may_listen = block_size, False
        self.root = LearnersCache(NUM_BLOCKS, block_size, D_K)
        self.pool = Pool(self.root)  # type: ignore[assignment]
        self.host, self.away = BlockPool(HOST_BLOCKS), {}
        self.tokens, self.kinds, self.untold = {}, {}, set()

    @rule(target=alive, prompt=st.lists(st.integers(0, 1), min_size=1, max_size=7))
    def submit(self, prompt: list[int]) -> LearnersCache:  # type: ignore[override]
        cache = self.root.fork()  # an empty cache over the same pool
        self.tokens[cache], self.kinds[cache] = [], PLAIN
        self.feed(cache, prompt)
        return cache

    def extend(self, cache: LearnersCache, tokens: list[int]) -> None:  # type: ignore[override]
        cache.extend(tokens)

    def note_chains(self, cache: LearnersCache) -> None:  # type: ignore[override]
        """Nothing is found again."""


def live() -> None:
    steps = 40
    run_state_machine_as_test(
        LearnersLife,
        settings=settings(
            max_examples=max(1, STEPS // steps),
            stateful_step_count=steps,
            phases=[Phase.generate],  # a fault that is put in need not be made small
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_random_life() -> None:
    live()


def no_copy(self: Any, token_ids: list[int]) -> None:
    """`extend` that forgets copy-on-write."""
    needed = -(-(self.length + len(token_ids)) // self.block_size) - len(self.block_table)
    if needed > len(self.free_blocks):
        raise OutOfBlocksError(needed, 0, 0)
    self.block_table += [self._take() for _ in range(needed)]
    self.length, self.new = self.length + len(token_ids), len(token_ids)
    self.token_ids += token_ids


def no_count(self: Any) -> LearnersCache:
    """`fork` that forgets to count."""
    counts = list(self.ref_cnt)
    child = LearnersCache.__bases__[0].fork(self)
    self.ref_cnt[:] = counts
    child.token_ids = list(self.token_ids)
    return child


@pytest.mark.parametrize(("name", "fault"), [("extend", no_copy), ("fork", no_count)])
def test_the_life_finds_faults(name: str, fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LearnersCache, name, fault)
    with pytest.raises(AssertionError):
        live()


def test_the_document_s_example_from_beginning_to_end(ex: Example) -> None:
    cache = LearnersCache(5, 2, ex.d_k, h_kv=ex.heads)
    steps = generate(ex.model, ex.ids(ex.prompt), cache)
    assert ex.texts(step.next_token for step in steps) == ["간다", ".", "<EOS>"]
    assert (cache.num_computed_tokens, cache.num_free_blocks) == (4, 2)
