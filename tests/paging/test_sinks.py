"""A window with sinks: the first tokens stay, what lies between them and the window does not.

And what a hit in the prefix cache needs: the blocks that the next token sees, no others.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import swap_in, swap_out
from walkthrough.paging.window import WindowedSequence, blocks_held
from walkthrough.reference.attention import attend_heads, causal_mask
from walkthrough.reference.paged import (
    GatheredCache,
    PagedCache,
    PagedStorage,
    move_blocks,
    paged_attention,
)
from walkthrough.reference.work import Work

windows, sinks_of, sizes = st.integers(1, 6), st.integers(0, 5), st.integers(1, 4)


@settings(max_examples=80, deadline=None)
@given(st.integers(0, 10**6), windows, sinks_of, sizes, st.integers(1, 7), st.booleans())
def test_attention_with_sinks_equals_the_masked_whole(
    seed: int, window: int, sinks: int, size: int, chunk: int, gathered: bool
) -> None:
    """In parts of any length; between them a fork goes on, a cut is made, all is moved away."""
    n, h, h_kv, d_k = 17, 4, 2, 3
    rng = np.random.default_rng(seed)
    Q = rng.normal(size=(n, h, d_k))
    K, V = rng.normal(size=(2, n, h_kv, d_k))
    position = np.arange(n)
    seen = (position[None, :] > position[:, None] - window) | (position[None, :] < sinks)
    expected = attend_heads(Q, K, V, causal_mask(n, n) & seen)
    pool, host = BlockPool(60), BlockPool(60)
    storage, away = (PagedStorage(60, size, d_k, h_kv=h_kv) for _ in range(2))
    kind = GatheredCache if gathered else PagedCache
    cache = kind(storage, WindowedSequence(pool, size, window=window, sinks=sinks))
    parent = cache
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        for again in range(2):  # the part is cut off once, and comes again
            cache.extend(position[rows].tolist())
            cache.write(0, K[rows], V[rows])
            if not again:
                cache.roll_back(len(position[rows]))
        work = Work()
        np.testing.assert_allclose(cache.attend(0, Q[rows], work), expected[rows], atol=1e-12)
        assert work.kv_bytes_read == len(cache.sequence.held) * 2 * size * h_kv * d_k * 8
        before, cache = cache, cache.fork()
        before.free()
        swapped, copies = swap_out(cache.sequence, host)
        assert len(swapped.blocks) == len(copies)
        move_blocks(storage, away, copies)
        back = WindowedSequence(pool, size, window=window, sinks=sinks)
        move_blocks(away, storage, swap_in(swapped, back, host))
        cache = kind(storage, back)
    cache.free()
    parent.free()
    assert (pool.num_used_blocks, host.num_used_blocks) == (0, 0)


@given(windows, sinks_of, sizes)
def test_blocks_are_held_as_the_formula_says(window: int, sinks: int, size: int) -> None:
    sequence = WindowedSequence(BlockPool(40), size, window=window, sinks=sinks)
    for m in range(1, 25):
        sequence.append_token(m)
        sequence.free_before(m - window + 1)
        seen = {p // size for p in range(m) if p < sinks or p > m - window}
        seen |= {m // size} if m % size else set()  # it is not whole yet
        there = {i for i, block in enumerate(sequence.block_table) if block != NULL_BLOCK}
        assert there == seen
        assert blocks_held(m, window, size, sinks) == len(sequence.held)
        assert sequence.pool.num_used_blocks == len(sequence.held)
        slots = sequence.slot_mapping(0)
        assert [slot >= 0 for slot in slots] == [p // size in seen for p in range(m)]


def test_a_cut_into_the_sinks_is_made_and_one_between_is_refused() -> None:
    s = WindowedSequence(BlockPool(9), 2, window=2, sinks=3)
    for token in range(12):
        s.append_token(token)
    assert s.block_table == [1, 2, 0, 0, 0, 4]
    with pytest.raises(ValueError, match="to 7: position 6, which the next token would see, lies"):
        s.truncate(7)
    with pytest.raises(ValueError, match="to 4: position 4, which the next token would see, lies"):
        s.truncate(4)
    s.truncate(3)
    assert (s.block_table, s.num_given_back, s.pool.num_free_blocks) == ([1, 2], 0, 6)
    s.append(range(3, 9))
    s.append([9])
    assert s.block_table[2] == NULL_BLOCK, "the window moves on as before"
    s.free()
    assert s.pool.num_free_blocks == 8
    with pytest.raises(ValueError, match="sinks must be at least 0, got -1"):
        WindowedSequence(s.pool, 2, window=2, sinks=-1)


def test_what_comes_back_is_told_of_with_its_sinks_and_a_mixed_model_holds_eleven() -> None:
    pool, host = BlockPool(9), BlockPool(9)
    s = WindowedSequence(pool, 2, window=2, sinks=1)
    for token in range(7):
        s.append_token(token)
    swapped, copies = swap_out(s, host)
    assert len(copies) == 3
    told: list[Event] = []
    pool.listeners.append(told.append)
    swap_in(swapped, s, host)
    first, last, newest = s.held
    assert s.block_table == [first, NULL_BLOCK, last, newest]
    written = [(e.block, e.other) for e in told if e.kind == "written"]
    assert written == [(first, 2), (last, 2), (newest, 1)]
    # vLLM's documentation: groups of ten layers, one that sees all, two with a window of 32.
    assert [blocks_held(112, reach, 16) for reach in (112, 32, 32)] == [7, 2, 2]


def test_a_sink_that_was_given_back_is_missed() -> None:
    Q, K = np.ones((1, 1, 1)), np.ones((4, 2, 1, 1))
    whole = paged_attention(Q, K, K, [NULL_BLOCK, 1], 4, 2)
    assert whole.l.item() == 2
    with pytest.raises(ValueError, match="logical block 0 was given back, and is still to be seen"):
        paged_attention(Q, K, K, [NULL_BLOCK, 1], 4, 2, sinks=1)


@settings(max_examples=150, deadline=None)
@given(windows, sinks_of, sizes, st.data())
def test_a_hit_needs_what_the_next_token_sees(
    window: int, sinks: int, size: int, data: st.DataObject
) -> None:
    """Whichever blocks were lost: the longest prefix all of whose seen blocks are there."""

    def needed(end: int) -> set[int]:
        reach = max(window, 2)  # a hit is a block at least, though a window of 1 sees none
        return {p // size for p in range(end) if p < sinks or p > end - reach}

    prompt = list(range(data.draw(st.integers(1, 15))))
    pool = BlockPool(40)
    cache = PrefixCache(pool, size)
    first = WindowedSequence(pool, size, cache, window=window, sinks=sinks)
    first.append(prompt)
    table = list(first.block_table)
    first.free()
    full = (len(prompt) - 1) // size  # those that a hit can have
    lost = data.draw(st.sets(st.integers(0, max(full - 1, 0))))
    pool.evict([table[index] for index in lost])
    expected = 0
    for end in range(full * size, 0, -size):
        if not needed(end) & lost:
            expected = end
            break
    second = WindowedSequence(pool, size, cache, window=window, sinks=sinks)
    assert second.reuse_prefix(prompt) == expected
    for index, block in enumerate(second.block_table):
        assert block == (table[index] if index in needed(expected) else NULL_BLOCK)
    assert pool.num_used_blocks == len(second.held)
    second.append(prompt[expected:])
    third = WindowedSequence(pool, size, cache, window=window, sinks=sinks)
    assert third.reuse_prefix([*prompt, 99]) == len(prompt) // size * size, "all is known again"
    for sequence in (second, third):
        sequence.free()
    assert pool.num_used_blocks == 0


def test_a_hit_behind_what_was_lost_changes_no_row() -> None:
    n, window, size = 12, 3, 2
    rng = np.random.default_rng(1)
    Q, K, V = rng.normal(size=(3, n, 1, 2))
    pool = BlockPool(9)
    prefixes, storage = PrefixCache(pool, size), PagedStorage(9, size, 2)
    first = PagedCache(storage, WindowedSequence(pool, size, prefixes, window=window, sinks=1))
    for position in range(n):
        first.extend([position])
        first.write(0, K[position, None], V[position, None])
    expected = first.attend(0, Q[-1:])
    middle = WindowedSequence(pool, size, prefixes, window=1)
    middle.append(range(50, 58))  # takes what the window gave back
    middle.free()
    again = PagedCache(storage, WindowedSequence(pool, size, prefixes, window=window, sinks=1))
    assert again.sequence.reuse_prefix(range(n)) == 10
    assert again.sequence.block_table[1:4] == [NULL_BLOCK] * 3
    again.extend([10, 11])
    again.write(0, K[10:], V[10:])
    np.testing.assert_array_equal(again.attend(0, Q[-1:]), expected)


def test_sinks_and_windows_share_no_block_and_a_full_pool_refuses_whole() -> None:
    pool = BlockPool(5)
    cache = PrefixCache(pool, 2)
    plain = WindowedSequence(pool, 2, cache, window=3)
    plain.append(range(5))
    for other in (
        WindowedSequence(pool, 2, cache, window=3, sinks=1),
        WindowedSequence(pool, 2, cache, window=4),
        Sequence(pool, 2, cache),
    ):
        assert other.reuse_prefix([0]) == 0
        assert not cache.match(range(5), other.chain_start)
    alike = WindowedSequence(pool, 2, cache, window=3)
    before = list(pool.ref_cnt)
    with pytest.raises(OutOfBlocksError, match="blocks asked for: 2, free: 1 of 4"):
        alike.reuse_prefix(range(7 + 1))
    assert (pool.ref_cnt, alike.block_table, alike.num_given_back) == (before, [], 0)
    with pytest.raises(ValueError, match="the sequence has 5 tokens already"):
        plain.reuse_prefix([1])
