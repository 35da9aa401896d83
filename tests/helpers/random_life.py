"""A life of a paged cache in any order, held against a model that cannot share anything.

Some sequences see all of their tokens, some a sliding window.

The model keeps each sequence's tokens in a list of its own and computes its K and V from the
whole history, so that a row that was shared, copied or overwritten wrongly differs. After every
step reference counts, free counts, tables and attention must agree, and each block that the
prefix cache knows must hold what it is known for.
"""

from __future__ import annotations

import collections
import contextlib
import functools

import numpy as np
import pytest
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
)

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import Swapped, swap_in, swap_out
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference.attention import attend
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks

Kind = tuple[int | None, str | None]  # the window, and an extra key
PLAIN: Kind = (None, None)
NUM_BLOCKS, HOST_BLOCKS, D_K = 13, 7, 2


def rows_of(tokens: list[int]) -> np.ndarray:
    """A row for each position that depends on every token up to it: (n, 1, d_k)."""
    return _rows_of(tuple(tokens))


@functools.lru_cache(maxsize=4096)
def _rows_of(tokens: tuple[int, ...]) -> np.ndarray:
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
        self.heard_known: set[int] = set()  # the same of cached blocks
        self.kinds: dict[PagedCache, Kind] = {}
        # Of a full block: its sequence's kind, and all tokens up to its end.
        self.chains: dict[int, tuple[Kind, list[int]]] = {}

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
        tokens, sequence = self.tokens[cache], cache.sequence
        for index in range(sequence.num_given_back, len(tokens) // self.block_size):
            end = (index + 1) * self.block_size
            block = sequence.block_table[index]
            assert self.pool.block_hash[block] is not None
            self.chains[block] = self.kinds[cache], tokens[:end]

    def known_prefix(self, prompt: list[int], kind: Kind) -> int:
        """Tokens of the longest prefix, without the last one, whose seen blocks are all cached."""
        known = [
            self.chains[block] for block, content in enumerate(self.pool.block_hash) if content
        ]
        size, window = self.block_size, kind[0] or len(prompt)
        for length in range((len(prompt) - 1) // size * size, 0, -size):
            first = max(0, length - max(window, 2) + 1)  # that the next token sees
            seen = range(first // size, length // size)
            if all((kind, prompt[: (block + 1) * size]) in known for block in seen):
                return length
        return 0

    @rule(
        target=alive,
        prompt=st.lists(st.integers(0, 1), min_size=1, max_size=7),
        kind=st.sampled_from([PLAIN, PLAIN, (1, None), (3, None), (None, "3")]),
    )
    def submit(self, prompt: list[int], kind: Kind) -> PagedCache:
        window, salt = kind
        extra = {"window": salt} if salt else None  # a name that is also a field of its own
        place = self.pool, self.block_size, self.prefixes, extra
        sequence = WindowedSequence(*place, window=window) if window else Sequence(*place)
        cache = PagedCache(self.storage, sequence)
        self.tokens[cache], self.kinds[cache] = [], kind
        before, known = list(self.pool.ref_cnt), self.known_prefix(prompt, kind)
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

    @rule(tokens=st.lists(st.integers(0, 1), min_size=1, max_size=7), free_first=st.booleans())
    def rows_are_refused_that_another_counts_on(self, tokens: list[int], free_first: bool) -> None:
        writer = PagedCache(self.storage, Sequence(self.pool, self.block_size, self.prefixes))
        reader = Sequence(self.pool, self.block_size, self.prefixes)
        with contextlib.suppress(OutOfBlocksError):
            writer.extend(tokens[writer.sequence.reuse_prefix(tokens) :])
            with contextlib.suppress(OutOfBlocksError):
                reader.reuse_prefix([*tokens, 2])
            if free_first:
                reader.free()
            with pytest.raises(ValueError, match="K has shape"):
                writer.write(0, np.zeros((0, 1, 1)), np.zeros((0, 1, 1)))
        writer.sequence.free()
        reader.free()

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
        return self.submit(known[:length] + tokens, self.kinds[cache])

    @rule(cache=alive, n=st.integers(1, 6), tokens=st.lists(st.integers(0, 1), max_size=5))
    def take_back_and_go_on(self, cache: PagedCache, n: int, tokens: list[int]) -> None:
        if cache not in self.tokens:
            return
        length = max(len(self.tokens[cache]) - n, 0)
        sequence = cache.sequence
        seen = length if sequence.window is None else max(length + 1 - sequence.window, 0)
        if seen // self.block_size < sequence.num_given_back:
            with pytest.raises(ValueError, match="lies in a block that was given back"):
                sequence.truncate(length)
            return
        sequence.truncate(length)
        del self.tokens[cache][length:]
        for token in tokens:
            self.feed(cache, [token])

    @rule(cache=alive, n=st.integers(1, 4), token=st.integers(0, 1))
    def compute_again_what_a_fork_went_on_from(self, cache: PagedCache, n: int, token: int) -> None:
        if cache not in self.tokens:
            return
        last, further = self.tokens[cache][-n:], [token] * self.block_size
        child = self.fork(cache)
        self.feed(child, further)
        self.free(child)
        self.take_back_and_go_on(cache, n, last)
        self.free(self.submit(self.tokens[cache] + further + [0], self.kinds[cache]))

    @rule(target=alive, cache=alive)
    def fork(self, cache: PagedCache) -> PagedCache:
        if cache in self.away:
            return multiple()
        free = self.pool.num_free_blocks
        child = cache.fork()
        assert self.pool.num_free_blocks == free
        self.tokens[child], self.kinds[child] = list(self.tokens[cache]), self.kinds[cache]
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

    @rule(cache=alive)
    def swap_there_and_back(self, cache: PagedCache) -> None:
        self.preempt(cache, swap=True)
        self.resume(cache)

    @precondition(lambda self: self.may_listen)  # short cuts are taken where nobody does
    @rule()
    def listen(self) -> None:
        if not self.pool.listeners:
            self.heard = list(self.pool.ref_cnt)
            self.heard_known = {b for b, content in enumerate(self.pool.block_hash) if content}
            self.pool.listeners.append(self.hear)

    def hear(self, event: Event) -> None:
        if event.kind in ("allocated", "shared", "freed"):
            self.heard[event.block] = event.other or 0
        if event.kind == "freed":
            assert self.pool.num_used_blocks == NUM_BLOCKS - self.heard.count(0)
        if event.kind == "cached":
            self.heard_known.add(event.block)
        if event.kind == "evicted":
            self.heard_known.remove(event.block)

    @precondition(lambda self: not any(self.tokens.values()))
    @rule()
    def reset(self) -> None:
        self.prefixes.reset()
        assert self.pool.num_free_blocks == NUM_BLOCKS - 1

    @invariant()
    def counts_and_tables_agree(self) -> None:
        uses = collections.Counter(
            block
            for cache in self.tokens
            for block in cache.sequence.block_table[cache.sequence.num_given_back :]
        )
        assert NULL_BLOCK not in uses
        if self.pool.listeners:
            assert self.heard == self.pool.ref_cnt
            known = {b for b, content in enumerate(self.pool.block_hash) if content}
            assert self.heard_known == known
        assert [uses[block] for block in range(NUM_BLOCKS)] == self.pool.ref_cnt
        assert self.pool.num_free_blocks == NUM_BLOCKS - 1 - len(uses)
        hosted = collections.Counter(
            block for _, swapped in self.away.values() if swapped for block in swapped.blocks
        )
        assert [hosted[block] for block in range(HOST_BLOCKS)] == self.host.ref_cnt
        for cache, tokens in self.tokens.items():
            assert cache.sequence.token_ids == tokens
            assert len(cache.sequence.block_table) == -(-len(tokens) // self.block_size)
            given_back = cache.sequence.num_given_back
            assert cache.sequence.block_table[:given_back] == [NULL_BLOCK] * given_back

    @invariant()
    def cached_blocks_hold_what_they_are_known_for(self) -> None:
        for block, content in enumerate(self.pool.block_hash):
            if content:
                rows = rows_of(self.chains[block][1])[-self.block_size :]
                assert np.array_equal(self.storage.K[0, block], rows)

    @invariant()
    def attention_agrees(self) -> None:
        for cache, tokens in self.tokens.items():
            if not tokens:
                continue
            seen = cache.sequence.window or len(tokens)
            if max(len(tokens) - seen, 0) // self.block_size < cache.sequence.num_given_back:
                continue  # the window moved on for rows that were refused, or taken back
            rows = rows_of(tokens)[-seen:, 0]  # (seen, d_k)
            query = np.array([[0.3, -0.7]])
            expected = attend(query, rows, rows[:, ::-1]).output
            np.testing.assert_allclose(cache.attend(0, query[:, None])[0], expected, atol=1e-12)
