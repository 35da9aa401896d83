"""Random lives of a paged cache, held against a model that cannot share anything.

The model keeps each sequence's tokens in a list of its own and computes its K and V from the
whole history, so that a row that was shared, copied or overwritten wrongly differs. After every
step reference counts, free counts, tables and attention must agree.

A long run: ``PAGING_STEPS=1000000 pytest tests/test_paging_against_a_model.py``.

Faults that were put in to see this test fail, each one found:
  - copy-on-write forgotten (`append` writes into the shared tail)
  - copy-on-write takes a new block but `copy_blocks` is not called
  - `fork` does not raise the reference counts
  - `free_blocks` frees at a count of 1 too many (off by one)
  - `touch` leaves the block in the free queue, or does not lower the free count
  - a touched block's entry in the free queue is not passed over
  - `forget` keeps an evicted block in its node
  - `match` takes for equal what it has not compared, or gives up a block too early
  - `match` lets the last token be a hit
  - a twin does not take the place of the block that was evicted; one of two is no twin
  - equal tokens get a branch of their own
  - `truncate` keeps the content of blocks that it takes back, or takes it from those who share
    them, or stays at a node that it has left
  - the last slot of a block does not cache it
  - the mask of `paged_attention` shows the slot after the last (`<` for `<=` one off)
  - unused slots not masked in V
  - blocks are swapped out or in without their rows
  - `swap_in` keeps its host blocks, `swap_out` its own
Found by tests/test_paging.py, and too rarely here: evicting from the middle of a chain, a node
left in the tree when it is empty, twins kept when they are freed, a chain that goes on over a
branch, a token list that is changed in place, a full block that is cut and written again.
Found by a long run alone (300,000 steps): a node is cut out of the tree while a branch goes on from
it, after `truncate`.
"""

from __future__ import annotations

import collections
import contextlib
import os

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import Swapped, swap_in, swap_out
from walkthrough.reference.attention import attend
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks

NUM_BLOCKS, HOST_BLOCKS, D_K = 13, 7, 2
STEPS = int(os.environ.get("PAGING_STEPS", "8000"))


def rows_of(tokens: list[int]) -> np.ndarray:
    """A row for each position that depends on every token up to it: (n, 1, d_k)."""
    state, rows = 1.0, []
    for token in tokens:
        state = (state * 31 + token + 1) % 1009
        rows.append([np.sin(state), np.cos(state * 1.7)])
    return np.array(rows).reshape(-1, 1, D_K)


class Life(RuleBasedStateMachine):
    """Submit, append, fork, free, preempt, swap, resume and reset, in any order."""

    alive = Bundle("alive")

    @initialize(block_size=st.sampled_from([1, 2, 4]), may_listen=st.booleans())
    def start(self, block_size: int, may_listen: bool) -> None:
        self.block_size, self.may_listen = block_size, may_listen
        self.pool = BlockPool(NUM_BLOCKS)
        self.prefixes = PrefixCache(self.pool, block_size)
        self.storage = PagedStorage(NUM_BLOCKS, block_size, D_K)
        self.host = BlockPool(HOST_BLOCKS)
        self.host_storage = PagedStorage(HOST_BLOCKS, block_size, D_K)
        self.tokens: dict[PagedCache, list[int]] = {}  # the model
        # Those that were preempted: their tokens, and where they are if they were swapped out.
        self.away: dict[PagedCache, tuple[list[int], Swapped | None]] = {}
        self.heard = [0] * NUM_BLOCKS  # reference counts as the events tell them
        self.chains: dict[int, list[int]] = {}  # all tokens up to the end of a full block

    def extend(self, cache: PagedCache, tokens: list[int]) -> None:
        if len(tokens) == 1:  # as serving does it
            self.storage.copy_blocks(cache.sequence.append_token(tokens[0]))
            cache.fed(1)
        else:
            cache.extend(tokens)

    def feed(self, cache: PagedCache, tokens: list[int]) -> bool:
        """Append to both; False, with nothing changed, where the pool has no room."""
        before = (list(self.pool.ref_cnt), list(cache.sequence.block_table), len(cache.sequence))
        try:
            self.extend(cache, tokens)
        except OutOfBlocksError:
            now = (list(self.pool.ref_cnt), list(cache.sequence.block_table), len(cache.sequence))
            assert now == before
            return False
        self.tokens[cache] += tokens
        self.note_chains(cache)
        rows = rows_of(self.tokens[cache])[len(self.tokens[cache]) - len(tokens) :]
        cache.write(0, rows, rows[:, :, ::-1])
        return True

    def note_chains(self, cache: PagedCache) -> None:
        tokens = self.tokens[cache]
        for index in range(len(tokens) // self.block_size):
            end = (index + 1) * self.block_size
            block = cache.sequence.block_table[index]
            assert self.pool.content[block] is not None
            self.chains[block] = tokens[:end]

    def known_prefix(self, prompt: list[int]) -> int:
        """Tokens of the longest prefix, but for the last token, that cached blocks hold."""
        known = [self.chains[block] for block, content in enumerate(self.pool.content) if content]
        length = 0
        while length + self.block_size < len(prompt):
            if prompt[: length + self.block_size] not in known:
                break
            length += self.block_size
        return length

    @rule(target=alive, prompt=st.lists(st.integers(0, 1), min_size=1, max_size=7))
    def submit(self, prompt: list[int]) -> PagedCache:
        cache = PagedCache(self.storage, Sequence(self.pool, self.block_size, self.prefixes))
        self.tokens[cache] = []
        before, known = list(self.pool.ref_cnt), self.known_prefix(prompt)
        try:
            hit = cache.sequence.reuse_prefix(prompt)
        except OutOfBlocksError:
            assert list(self.pool.ref_cnt) == before
            return cache
        assert hit == known
        self.tokens[cache] = prompt[:hit]
        assert self.feed(cache, prompt[hit:])  # there was room for all of it
        return cache

    @rule(cache=alive, tokens=st.lists(st.integers(0, 1), max_size=3))
    def append(self, cache: PagedCache, tokens: list[int]) -> None:
        if cache in self.tokens:
            self.feed(cache, tokens)

    @rule(cache=alive, tokens=st.lists(st.integers(0, 1), min_size=1, max_size=3))
    def append_rows_that_are_refused(self, cache: PagedCache, tokens: list[int]) -> None:
        length = len(cache.sequence)
        if cache in self.away:
            return
        try:
            cache.extend(tokens)
        except OutOfBlocksError:
            return
        bad = np.full((len(tokens), 1, D_K), np.nan)
        with contextlib.suppress(ValueError):
            cache.write(0, bad, bad)
        assert len(cache.sequence) == length

    @rule(
        target=alive,
        cache=alive,
        length=st.integers(1, 12),
        tokens=st.lists(st.integers(0, 1), min_size=1, max_size=5),
    )
    def submit_what_begins_alike(
        self, cache: PagedCache, length: int, tokens: list[int]
    ) -> PagedCache:
        known = self.tokens.get(cache) or self.away.get(cache, ([], None))[0]
        return self.submit(known[:length] + tokens)

    @rule(cache=alive, n=st.integers(1, 6), tokens=st.lists(st.integers(0, 1), max_size=5))
    def take_back_and_go_on(self, cache: PagedCache, n: int, tokens: list[int]) -> None:
        if cache not in self.tokens:
            return
        length = max(len(self.tokens[cache]) - n, 0)
        cache.sequence.truncate(length)
        del self.tokens[cache][length:]
        for token in tokens:
            self.feed(cache, [token])

    @rule(target=alive, cache=alive)
    def fork(self, cache: PagedCache) -> PagedCache:
        if cache in self.away:
            return multiple()
        free = self.pool.num_free_blocks
        child = cache.fork()
        assert self.pool.num_free_blocks == free
        self.tokens[child] = list(self.tokens[cache])
        return child

    @rule(
        target=alive,
        cache=alive,
        tokens=st.tuples(st.integers(2, 5), st.integers(6, 9)),
        parent_first=st.booleans(),
        empty=st.booleans(),
    )
    def fork_and_part(
        self, cache: PagedCache, tokens: tuple[int, int], parent_first: bool, empty: bool
    ) -> PagedCache:
        if cache in self.away:
            return multiple()
        child = self.fork(cache)
        first, second = (cache, child) if parent_first else (child, cache)
        if empty:
            self.feed(first, [])
        self.feed(first, [tokens[0]])
        self.feed(second, [tokens[1]])
        return child

    @rule(cache=consumes(alive))
    def free(self, cache: PagedCache) -> None:
        if cache in self.away:
            _, swapped = self.away.pop(cache)
            if swapped is not None:
                self.host.free_blocks(swapped.blocks)
        elif cache in self.tokens:
            cache.sequence.free()
            del self.tokens[cache]

    @rule(cache=alive, swap=st.booleans())
    def preempt(self, cache: PagedCache, swap: bool) -> None:
        if not self.tokens.get(cache):
            return
        swapped = None
        if swap:
            before = list(self.pool.ref_cnt), list(self.host.ref_cnt)
            try:
                swapped, copies = swap_out(cache.sequence, self.host)
            except OutOfBlocksError:
                assert (list(self.pool.ref_cnt), list(self.host.ref_cnt)) == before
                return
            move_blocks(self.storage, self.host_storage, copies)
        else:
            cache.sequence.free()
        self.away[cache] = self.tokens.pop(cache), swapped

    @rule(cache=alive)
    def resume(self, cache: PagedCache) -> None:
        if cache not in self.away:
            return
        tokens, swapped = self.away[cache]
        before = list(self.pool.ref_cnt), list(self.host.ref_cnt)
        try:
            if swapped is None:
                hit = cache.sequence.reuse_prefix(tokens)
            else:
                copies = swap_in(swapped, cache.sequence, self.host)
        except OutOfBlocksError:
            assert (list(self.pool.ref_cnt), list(self.host.ref_cnt)) == before
            return
        del self.away[cache]
        if swapped is None:
            self.tokens[cache] = tokens[:hit]
            assert self.feed(cache, tokens[hit:])
        else:
            self.tokens[cache] = list(tokens)
            self.note_chains(cache)
            move_blocks(self.host_storage, self.storage, copies)

    @precondition(lambda self: self.may_listen)  # short cuts are taken where nobody does
    @rule()
    def listen(self) -> None:
        if not self.pool.listeners:
            self.heard = list(self.pool.ref_cnt)
            self.pool.listeners.append(self.hear)

    def hear(self, event: Event) -> None:
        if event.kind in ("allocated", "shared", "freed"):
            self.heard[event.block] = event.other or 0

    @precondition(lambda self: not any(self.tokens.values()))
    @rule()
    def reset(self) -> None:
        self.prefixes.reset()
        assert self.pool.num_free_blocks == NUM_BLOCKS - 1

    @invariant()
    def counts_and_tables_agree(self) -> None:
        uses = collections.Counter(
            block for cache in self.tokens for block in cache.sequence.block_table
        )
        assert NULL_BLOCK not in uses
        assert not self.pool.listeners or self.heard == self.pool.ref_cnt
        assert [uses[block] for block in range(NUM_BLOCKS)] == self.pool.ref_cnt
        assert self.pool.num_free_blocks == NUM_BLOCKS - 1 - len(uses)
        hosted = collections.Counter(
            block for _, swapped in self.away.values() if swapped for block in swapped.blocks
        )
        assert [hosted[block] for block in range(HOST_BLOCKS)] == self.host.ref_cnt
        for cache, tokens in self.tokens.items():
            assert cache.sequence.token_ids == tokens
            assert len(cache.sequence.block_table) == -(-len(tokens) // self.block_size)

    @invariant()
    def attention_agrees(self) -> None:
        for cache, tokens in self.tokens.items():
            if not tokens:
                continue
            rows = rows_of(tokens)[:, 0]  # (n, d_k)
            query = np.array([[0.3, -0.7]])
            expected = attend(query, rows, rows[:, ::-1]).output
            np.testing.assert_allclose(cache.attend(0, query[:, None])[0], expected, atol=1e-12)


def test_a_random_life() -> None:
    steps = 40
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=max(1, STEPS // steps),
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
