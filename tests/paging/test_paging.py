"""What a paged cache must do, point by point: blocks, prefix cache, sequences, storage.

A test's name begins with the number of the behaviour: 01 to 05 blocks, 06 to 11 prefix cache,
12 to 16 sequences, 19 to 23 storage.
"""

from __future__ import annotations

import contextlib
import sys

import numpy as np
import pytest
from helpers.learners import MAKERS
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.document.example import Example
from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import swap_in, swap_out
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference import parts
from walkthrough.reference.attention import attend, attend_heads, causal_mask
from walkthrough.reference.batch import BatchCache
from walkthrough.reference.cache import ContiguousCache, NoCache
from walkthrough.reference.model import forward, generate
from walkthrough.reference.paged import (
    GatheredCache,
    PagedCache,
    PagedStorage,
    log_sum_exp,
    move_blocks,
    paged_attention,
    to_csr,
)


def sequence(num_blocks: int = 10, block_size: int = 4, cached: bool = False) -> Sequence:
    pool = BlockPool(num_blocks)
    return Sequence(pool, block_size, PrefixCache(pool, block_size) if cached else None)


def windowed(
    num_blocks: int, block_size: int, window: int, cached: bool = False
) -> WindowedSequence:
    pool = BlockPool(num_blocks)
    cache = PrefixCache(pool, block_size) if cached else None
    return WindowedSequence(pool, block_size, cache, window=window)


def another(like: Sequence, **extra: str) -> Sequence:
    return Sequence(like.pool, like.block_size, like.prefix_cache, extra)


# Blocks


def test_01_the_null_block_is_never_handed_out() -> None:
    s = sequence(5, 16)
    s.append(range(55))
    assert s.block_table == [1, 2, 3, 4]
    for misuse in (s.pool.free_blocks, s.pool.touch):
        for block in (NULL_BLOCK, -1, 5):
            with pytest.raises(ValueError, match=f"block {block} is not one of 1 … 4"):
                misuse([block])
    with pytest.raises(ValueError, match="at least 2 blocks"):
        BlockPool(1)


def test_02_new_blocks_have_a_count_of_1_and_asking_for_too_many_changes_nothing() -> None:
    pool = BlockPool(4)
    blocks = pool.get_new_blocks(2)
    assert [pool.ref_cnt[b] for b in blocks] == [1, 1]
    with pytest.raises(OutOfBlocksError, match="blocks asked for: 2, free: 1 of 3"):
        pool.get_new_blocks(2)
    assert pool.num_free_blocks == 1
    assert pool.get_new_blocks(1) == [3]


def test_03_freeing_twice_is_an_error_and_frees_nothing_more() -> None:
    pool = BlockPool(4)
    (block,) = pool.get_new_blocks(1)
    pool.touch([block])
    pool.free_blocks([block])
    assert pool.num_free_blocks == 2
    pool.free_blocks([block])
    assert pool.num_free_blocks == 3
    with pytest.raises(ValueError, match=f"block {block} is freed twice"):
        pool.free_blocks([block])
    assert (pool.num_free_blocks, pool.ref_cnt[block]) == (3, 0)


def test_03_a_listener_sees_the_counts_as_they_are_and_its_errors_as_they_are() -> None:
    pool, seen = BlockPool(6), []
    blocks = pool.get_new_blocks(3)
    pool.listeners.append(lambda event: seen.append((event.other, pool.num_used_blocks)))
    pool.free_blocks(blocks)
    assert seen == [(0, 2), (0, 1), (0, 0)]
    block = pool.get_new_blocks(1)
    pool.listeners[:] = [lambda event: [][event.block]]
    with pytest.raises(IndexError):  # and not: there is no such block
        pool.free_blocks(block)


def test_04_the_tail_goes_first_and_blocks_without_a_hash_before_those_with() -> None:
    s = sequence(6, 2, cached=True)
    s.append(range(5))  # blocks 1 and 2 are full and cached, 3 is not
    other = another(s)
    other.append(range(10, 14))  # 4 and 5
    s.free()
    assert s.pool.get_new_blocks(3) == [3, 2, 1]


def test_04_of_two_equal_blocks_the_one_used_last_says_when_both_are_evicted() -> None:
    pool = BlockPool(9)
    cache = PrefixCache(pool, 2)

    def run(prompt: list[int], more: list[int]) -> None:
        s = Sequence(pool, 2, cache)
        s.append(prompt[s.reuse_prefix(prompt) :])
        s.append(more)
        s.free()

    run([1, 2, 3, 4], [])
    run([11, 12, 13, 14], [])
    run([1, 2, 3, 4], [5, 6, 7, 8])  # computes 3, 4 again, next to the block that holds it
    known = len(pool.block_hash) - pool.block_hash.count(None)
    pool.free_blocks(pool.get_new_blocks(8 - known + 1))  # evicts one
    assert len(cache.match([1, 2, 3, 4, 5, 6, 7, 8, 0])) == 4
    assert len(cache.match([11, 12, 13, 14, 0])) == 1
    for _ in range(40):  # what is used again and again is free once
        run([1, 2], [])
        assert pool.num_free_blocks == 8
    assert set(pool.get_new_blocks(8)) == set(range(1, 9))


def test_05_taking_a_block_out_of_the_middle_of_the_free_queue() -> None:
    s = sequence(6, 1, cached=True)
    s.append(range(5))
    s.free()
    s.pool.touch([3])
    assert s.pool.get_new_blocks(4) == [5, 4, 2, 1]
    with pytest.raises(OutOfBlocksError):
        s.pool.get_new_blocks(1)


# Prefix cache


def test_06_only_full_blocks_are_cached_and_identity_is_the_whole_chain() -> None:
    s = sequence(20, 2, cached=True)
    s.append([1, 2, 3])
    assert another(s).reuse_prefix([1, 2, 3, 4]) == 2
    assert another(s).reuse_prefix([9, 2, 3, 4]) == 0  # the same second block behind another first
    assert another(s, salt="x").reuse_prefix([1, 2, 3, 4]) == 0
    salted = another(s, salt="x")
    salted.append([1, 2])
    assert another(s, salt="x").reuse_prefix([1, 2, 3]) == 2
    assert another(s, adapter="x").reuse_prefix([1, 2, 3]) == 0  # equal text in another field


def test_06_contents_never_share_a_block_even_where_hashes_collide() -> None:
    one, two = 1, 1 + sys.hash_info.modulus  # two integers of the same hash
    assert hash((one, one)) == hash((two, one))
    pool = BlockPool(100)
    cache = PrefixCache(pool, 2)
    prompts = [[a, b, c, d, 0] for a in (one, two) for b in (one, two)
               for c in (one, two) for d in (one, two)]  # fmt: skip
    tables = {}
    for prompt in prompts:
        s = Sequence(pool, 2, cache)
        s.reuse_prefix(prompt)
        s.append(prompt[len(s) :])
        tables[tuple(prompt[:4])] = s.block_table[:2]
    for a, table_a in tables.items():
        for b, table_b in tables.items():
            assert (table_a[0] == table_b[0]) == (a[:2] == b[:2])
            assert (table_a[1] == table_b[1]) == (a == b)


def test_06_token_ids_may_be_any_whole_numbers() -> None:
    s = sequence(30, 2, cached=True)
    prompts = [[-1, 1], [2**63 - 1, -(2**63)], [2**63, 1], [1, 2**63], [2**64 + 1, 2**64 + 1]]
    for prompt in prompts:
        assert another(s).reuse_prefix([*prompt, 0]) == 0
        another(s).append(prompt)
        assert another(s).reuse_prefix([*prompt, 0]) == 2
    wide = another(s)
    wide.append([2**64, 1, 2**65, 3])
    assert another(s).reuse_prefix((2**64, 1, 2**65, 3, 4)) == 4
    assert another(s).reuse_prefix([-1, 1, 2**65, 3, 4]) == 2
    assert another(s).reuse_prefix(np.array([-1, 1, 0])) == 2  # type: ignore[arg-type]


def test_06_blocks_of_another_size_are_other_contents() -> None:
    pool = BlockPool(9)
    pairs = PrefixCache(pool, 2)
    Sequence(pool, 2, pairs).append([1, 2, 3, 4])
    assert PrefixCache(pool, 2).match([1, 2, 3, 4, 5]) == [1, 2], "what is known, the pool knows"
    assert PrefixCache(pool, 4).match([1, 2, 3, 4, 5]) == []
    assert PrefixCache(pool, 1).match([1, 2, 3, 4, 5]) == []


def test_06_two_that_part_and_go_the_same_way_again_are_one_chain() -> None:
    s = sequence(20, 2, cached=True)
    s.append([1, 2])
    child = s.fork()
    child.append([3, 4])
    s.append([3, 4])  # what the child has already
    child.append([5, 6])
    assert s.prefix_cache is not None
    assert s.prefix_cache.match([1, 2, 3, 4, 5, 6, 7]) == child.block_table


def test_06_tokens_taken_back_do_not_change_what_others_have() -> None:
    s = sequence(20, 2, cached=True)
    s.append([1, 2, 3, 4])
    other = another(s)
    assert other.reuse_prefix([1, 2, 3, 4, 0]) == 4
    s.truncate(2)
    s.append([5, 6])
    assert s.prefix_cache is not None
    assert s.prefix_cache.match([1, 2, 3, 4, 0]) == other.block_table
    assert s.prefix_cache.match([1, 2, 5, 6, 0]) == s.block_table


def test_06_tokens_taken_back_and_computed_again_lead_to_what_others_went_on_to() -> None:
    s = sequence(20, 1, cached=True)
    s.append([1])
    child = s.fork()
    child.append([2])
    child_table = list(child.block_table)
    child.free()
    s.truncate(0)
    assert another(s).reuse_prefix([1, 2, 3]) == 0
    s.append([1])
    assert s.prefix_cache is not None
    assert s.prefix_cache.match([1, 2, 3]) == [s.block_table[0], child_table[1]]


def test_06_a_chain_that_was_evicted_leaves_nothing_behind() -> None:
    s = sequence(20, 1, cached=True)
    s.append([1])
    child = s.fork()
    child.append([2])
    child.free()
    s.truncate(0)
    s.append(range(10, 29))  # takes every block
    s.free()
    assert len(s.pool.cached_blocks) == 19


def test_06_a_chain_of_any_length_can_be_evicted() -> None:
    pool = BlockPool(40)
    cache = PrefixCache(pool, 1)
    s = WindowedSequence(pool, 1, cache, window=4)
    for token in range(1500):
        s.append([token, 0])
        s.truncate(len(s) - 1)
    s.free()
    other = Sequence(pool, 1, cache)
    other.append(range(5000, 5039))
    assert pool.num_used_blocks == 39


def test_06_the_window_is_a_field_of_its_own() -> None:
    s = windowed(20, 2, window=3, cached=True)
    s.append([1, 2, 3])
    assert another(s, window="3").reuse_prefix([1, 2, 3]) == 0
    both = WindowedSequence(s.pool, 2, s.prefix_cache, {"window": "x"}, window=3)
    assert both.reuse_prefix([1, 2, 3]) == 0
    assert WindowedSequence(s.pool, 2, s.prefix_cache, window=3).reuse_prefix([1, 2, 3]) == 2


def test_06_what_was_never_written_is_not_known_though_others_count_on_it() -> None:
    s = sequence(9, 2, cached=True)
    storage = PagedStorage(9, 2, 1)
    cache = PagedCache(storage, s)
    cache.extend([1, 2, 3])
    other = another(s)
    assert other.reuse_prefix([1, 2, 3]) == 2, "in the same step, before the rows are there"
    with pytest.raises(ValueError, match="K is not finite"):
        cache.write(0, np.full((3, 1, 1), np.nan), np.ones((3, 1, 1)))
    assert other.prefix_cache is not None
    assert other.prefix_cache.match([1, 2, 3]) == []
    other.append([3])
    other.truncate(1)
    other.free()
    assert another(s).reuse_prefix([1, 2, 3]) == 0
    assert s.pool.num_used_blocks == 0


@pytest.mark.parametrize("refused", [0, 1])
def test_06_where_one_of_a_batch_is_refused_all_give_their_slots_back(refused: int) -> None:
    s = sequence(9, 2, cached=True)
    storage = PagedStorage(9, 2, 1)
    caches = [PagedCache(storage, s), PagedCache(storage, another(s))]
    plain = ContiguousCache(4, 1)
    for first, cache in enumerate(caches):
        cache.extend([first, 2, 3])
    plain.extend([1, 2, 3])
    rows = np.ones((9, 1, 1))
    rows[3 * refused] = np.inf
    with pytest.raises(ValueError, match="K is not finite"):
        BatchCache([*caches, plain], [3, 3, 3]).write(0, rows, rows)
    assert [len(cache.sequence) for cache in caches] == [0, 0]
    assert plain.num_computed_tokens == 0
    assert [another(s).reuse_prefix([first, 2, 3]) for first in (0, 1)] == [0, 0]


@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("one_by_one", [False, True])
def test_09_a_full_block_that_is_cut_and_written_again_loses_its_old_identity(
    length: int, one_by_one: bool
) -> None:
    s = sequence(20, 4, cached=True)
    s.append([1, 2, 3, 4])
    cut = s.fork()
    cut.truncate(length)
    s.free()
    more = [3, 9][length - 2 :]
    if one_by_one:
        for token in more:
            assert not cut.append_token(token)
            assert cut.prefix_cache is not None
            assert cut.prefix_cache.match([1, 2, 3, 4, 0]) == []
    else:
        cut.append(more)
    assert s.prefix_cache is not None
    assert s.prefix_cache.match([1, 2, 3, 4, 0]) == []
    assert s.prefix_cache.match([1, 2, 3, 9, 0]) == cut.block_table


def test_07_hits_raise_the_count_or_leave_the_free_queue_and_a_refusal_changes_nothing() -> None:
    s = sequence(6, 2, cached=True)
    s.append([1, 2, 3, 4])
    hit = another(s)
    assert hit.reuse_prefix([1, 2, 3, 4, 5]) == 4
    assert [s.pool.ref_cnt[b] for b in (1, 2)] == [2, 2]
    hit.free()
    s.free()
    assert s.pool.num_free_blocks == 5
    revived = another(s)
    assert revived.reuse_prefix([1, 2, 9]) == 2
    assert (revived.block_table, s.pool.num_free_blocks) == ([1], 4)
    before = list(s.pool.ref_cnt), s.pool.num_free_blocks
    with pytest.raises(OutOfBlocksError):  # two hits, one of them free, and four new ones
        another(s).reuse_prefix([1, 2, 3, 4, *range(5, 13)])
    assert (list(s.pool.ref_cnt), s.pool.num_free_blocks) == before


def test_07_a_touch_that_is_refused_changes_nothing() -> None:
    s = sequence(4, 2, cached=True)
    s.append([1, 2])
    for blocks in ([1, 3], [1, 4], [1, 0], [1, -1]):
        with pytest.raises(ValueError, match=f"block {blocks[1]} is"):
            s.pool.touch(blocks)
    assert s.pool.ref_cnt == [0, 1, 0, 0]


def test_08_a_prompt_that_is_cached_whole_still_computes_its_last_token() -> None:
    s = sequence(10, 4, cached=True)
    s.append(range(8))
    assert another(s).reuse_prefix(range(8)) == 4
    assert another(s).reuse_prefix(range(9)) == 8


def test_09_a_reused_block_loses_its_old_identity() -> None:
    s = sequence(3, 2, cached=True)
    s.append([1, 2, 3, 4])
    s.free()
    other = another(s)
    other.append([5, 6, 7, 8])
    other.free()
    assert another(s).reuse_prefix([1, 2, 3]) == 0
    assert another(s).reuse_prefix([5, 6, 7]) == 2


def test_10_evicting_one_of_two_equal_blocks_leaves_the_other_to_be_found() -> None:
    for keep in (0, 1):
        s = sequence(4, 2, cached=True)
        s.append([1, 2])
        twin = another(s)
        twin.append([1, 2])  # not through reuse_prefix: a second block of the same content
        assert s.block_table != twin.block_table
        kept, freed = (s, twin) if keep else (twin, s)
        freed.free()
        s.pool.get_new_blocks(2)
        assert s.prefix_cache is not None
        assert s.prefix_cache.match([1, 2, 3]) == kept.block_table


def test_10_a_popular_prompt_does_not_flush_the_cache() -> None:
    s = sequence(12, 2, cached=True)
    s.append([7, 8, 9, 10])
    s.free()
    for _ in range(50):  # its last block is computed again each time, and is a twin
        popular = another(s)
        popular.append([1, 2, 3, 4][popular.reuse_prefix([1, 2, 3, 4]) :])
        popular.free()
    assert another(s).reuse_prefix([7, 8, 9, 10, 11]) == 4
    assert {len(blocks) for blocks in s.pool.cached_blocks.values()} == {1}


def test_11_reset_is_refused_while_blocks_are_in_use() -> None:
    s = sequence(4, 2, cached=True)
    s.append([1, 2, 3])
    assert s.prefix_cache is not None
    with pytest.raises(ValueError, match="cannot be reset: 2 blocks are in use"):
        s.prefix_cache.reset()
    s.free()
    s.prefix_cache.reset()
    assert another(s).reuse_prefix([1, 2, 3]) == 0
    assert s.pool.num_free_blocks == 3


def test_a_block_whose_chain_was_evicted_is_not_found_behind_another() -> None:
    s = sequence(8, 1, cached=True)
    s.append([1, 2, 3])
    s.free()
    cache = s.prefix_cache
    assert cache is not None
    s.pool.touch([3])  # the end of the chain stays in use
    taken = s.pool.get_new_blocks(s.pool.num_free_blocks)  # its beginning is evicted
    assert cache.match([1, 2, 3, 4]) == []
    s.pool.free_blocks([3, *taken])
    again = another(s)
    again.append([9, 2])  # blocks of the beginning are used again, for something else
    assert cache.match([1, 2, 3, 4]) == []
    assert cache.match([9, 2, 3, 4]) == again.block_table
    again.free()
    s.pool.get_new_blocks(7)
    assert not s.pool.cached_blocks


# Sequences


def test_12_a_block_is_taken_only_by_the_first_token_past_a_full_one() -> None:
    s = sequence(10, 4, cached=True)
    s.append(range(3))
    taken = [len(s.block_table)]
    for token in (3, 4):
        s.append([token])
        taken.append(len(s.block_table))
    assert taken == [1, 1, 2]
    assert s.pool.block_hash[s.block_table[0]] is not None
    assert s.pool.block_hash[s.block_table[1]] is None


def test_13_fork_allocates_nothing_and_a_shared_tail_is_copied_once() -> None:
    s = sequence(10, 4)
    s.append(range(6))
    child = s.fork()
    assert s.pool.num_free_blocks == 7
    tail = s.block_table[1]
    assert child.append([6]) == [(tail, 3)]
    assert (s.block_table, child.block_table) == ([1, 2], [1, 3])
    assert child.append([7]) == []  # its own by now
    assert s.append([9]) == []  # the last user of the old tail writes in place
    s.free()
    assert child.token_ids == [*range(7), 7]
    assert [s.pool.ref_cnt[b] for b in child.block_table] == [1, 1]


def test_13_on_a_block_boundary_nothing_is_copied() -> None:
    s = sequence(10, 4)
    s.append(range(4))
    child = s.fork()
    assert child.append([4]) == []
    assert child.block_table == [1, 2]


def test_13_an_empty_append_changes_nothing() -> None:
    s = sequence(10, 4)
    s.append([1])
    child = s.fork()
    assert s.append([]) == []
    assert s.append([9]) == [(1, 2)]
    assert (s.token_ids, child.token_ids) == ([1, 9], [1])


def test_refused_rows_give_the_slots_and_the_identity_back() -> None:
    s = sequence(10, 2, cached=True)
    cache = PagedCache(PagedStorage(10, 2, 1), s)
    rows = np.ones((3, 1, 1))
    cache.extend([1, 2, 3])
    cache.write(0, rows, rows)
    before = list(s.pool.ref_cnt), s.pool.num_free_blocks, list(s.block_table)
    cache.extend([4, 5, 6])
    with pytest.raises(ValueError, match="not finite"):
        cache.write(0, rows * np.inf, rows)
    assert (list(s.pool.ref_cnt), s.pool.num_free_blocks, s.block_table) == before
    assert len(s) == 3
    assert another(s).reuse_prefix([1, 2, 3, 4, 5]) == 2
    with pytest.raises(ValueError, match="layer -1 is not one of 0 … 0"):
        cache.write(-1, rows[:0], rows[:0])
    with pytest.raises(ValueError, match="cannot cut 3 tokens to 4"):
        s.truncate(4)


def test_15_a_failed_append_rolls_back() -> None:
    s = sequence(4, 2)
    s.append(range(3))
    child = s.fork()
    before = list(s.pool.ref_cnt), s.pool.num_free_blocks, list(child.block_table)
    with pytest.raises(OutOfBlocksError, match="blocks asked for: 3, free: 1 of 3"):
        child.append(range(4))  # a copy and two more
    assert (list(s.pool.ref_cnt), s.pool.num_free_blocks, child.block_table) == before
    assert len(child) == 3


def test_16_a_sliding_window_frees_whole_blocks_behind_it() -> None:
    s = windowed(10, 2, window=9)
    s.append(range(7))
    s.free_before(5)
    assert s.block_table == [0, 0, 3, 4]
    assert s.pool.num_free_blocks == 7
    s.free_before(5)
    s.free()
    assert s.pool.num_free_blocks == 9
    s.append(range(3))
    assert s.num_given_back == 0
    assert NULL_BLOCK not in s.block_table
    assert s.slot(0) == s.block_table[0] * 2


def test_16_a_window_moves_with_each_token() -> None:
    s = windowed(9, 4, window=2)
    given_back = []
    for token in range(10):
        s.append_token(token)
        assert not s.append([])  # changes nothing
        given_back.append(s.num_given_back)
    assert given_back == [0] * 5 + [1] * 4 + [2]


def test_16_a_window_goes_on_where_its_chain_was_evicted() -> None:
    s = windowed(5, 2, window=1, cached=True)
    s.append([0, 1])
    s.append([2])  # gives the full block back
    other = another(s)
    other.append(range(10, 16))  # evicts it
    s.append([3])
    s.free()
    other.free()
    other.append(range(20, 28))  # evicts all
    assert other.prefix_cache is not None
    assert len(other.pool.cached_blocks) == 4
    assert other.prefix_cache.match([*range(20, 28), 0]) == other.block_table


def test_16_a_window_is_swapped_without_what_it_gave_back() -> None:
    s = windowed(8, 2, window=2, cached=True)
    storage, host_storage = PagedStorage(8, 2, 1), PagedStorage(4, 2, 1)
    host, cache = BlockPool(4), PagedCache(storage, s)
    rows = np.arange(7.0).reshape(-1, 1, 1)
    for position in range(7):
        cache.extend([position])
        cache.write(0, rows[position, None], rows[position, None])
    expected = cache.attend(0, np.ones((1, 1, 1)))
    assert s.block_table[:2] == [0, 0]
    swapped, copies = swap_out(s, host)
    assert len(swapped.blocks) == 2, "only what the window still holds"
    move_blocks(storage, host_storage, copies)
    with pytest.raises(OutOfBlocksError):
        swap_in(swapped, WindowedSequence(BlockPool(2), 2, window=2), host)
    back = WindowedSequence(s.pool, 2, s.prefix_cache, window=2)
    move_blocks(host_storage, storage, swap_in(swapped, back, host))
    assert host.num_free_blocks == 3
    assert s.pool.num_free_blocks == 7 - 2
    np.testing.assert_array_equal(PagedCache(storage, back).attend(0, np.ones((1, 1, 1))), expected)
    with pytest.raises(ValueError, match="the sequence has 7 tokens already"):
        swap_in(swapped, back, host)
    later = WindowedSequence(s.pool, 2, s.prefix_cache, window=2)
    hit = later.reuse_prefix([*range(7), 9])
    assert np.isfinite(storage.K[0, later.held]).all()
    assert hit == 6, "what it gave back was computed, and is known until it is evicted"


def test_16_a_sequence_swapped_in_without_its_beginning_is_known_by_all_its_tokens() -> None:
    s = windowed(20, 2, window=2, cached=True)
    host = BlockPool(9)
    for token in range(7):
        s.append([token])
    swapped, _ = swap_out(s, host)
    heard: list[Event] = []
    s.pool.listeners.append(heard.append)
    swap_in(swapped, s, host)
    s.pool.listeners.clear()
    kinds = ["allocated", "allocated", "written", "written", "cached", "swapped", "swapped"]
    assert [event.kind for event in heard] == kinds
    assert s.pool.block_hash[s.block_table[2]] is not None
    for of_them in (s.fork(), s):
        of_them.append([7])
        assert s.pool.block_hash[of_them.block_table[-1]] is not None
    assert s.pool.block_hash[NULL_BLOCK] is None
    with pytest.raises(ValueError, match="a window comes back into one like it"):
        swap_in(swap_out(s.fork(), host)[0], another(s), host)
    later = Sequence(s.pool, 2)
    later.append([5, 6, 7, 8])
    swap_out(later, host)  # takes the host blocks that were given back
    with pytest.raises(ValueError, match="swapped in already"):
        swap_in(swapped, WindowedSequence(s.pool, 2, s.prefix_cache, window=2), host)
    s.free()
    assert s.reuse_prefix([0, 1, 2, 3, 9]) == 4
    s.append([8, 9])
    assert s.pool.block_hash[s.block_table[-1]] is not None


def test_16_a_cut_behind_the_window_is_refused() -> None:
    s = windowed(8, 2, window=2)
    s.append(range(6))
    s.append([6])
    before = list(s.block_table), list(s.pool.ref_cnt)
    message = "cannot cut 7 tokens to 4: position 3, which the next token would see, lies in a"
    with pytest.raises(ValueError, match=message):
        s.truncate(4)
    assert (s.block_table, s.pool.ref_cnt) == before
    s.truncate(5)
    s.append([5])
    assert s.block_table[:2] == [0, 0]
    assert s.slot(5) == 3 * 2 + 1


def test_16_what_a_window_saw_is_part_of_the_identity() -> None:
    s = sequence(20, 1, cached=True)
    s.append([1, 2, 3])
    narrow = WindowedSequence(s.pool, 1, s.prefix_cache, window=1)
    assert narrow.reuse_prefix([1, 2, 3, 4]) == 0
    narrow.append([1, 2])
    narrow.append([3, 4])
    other = WindowedSequence(s.pool, 1, s.prefix_cache, window=1)
    other.append([9, 2])
    other.append([3, 4])
    known_by = [s.pool.block_hash[q.block_table[-1]] for q in (narrow, other)]
    assert None not in known_by
    assert known_by[0] != known_by[1], "another history, another content"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.integers(1, 4)), max_size=60))
def test_16_random_windows_leave_every_cached_block_where_its_content_says(
    steps: list[tuple[int, int, int]],
) -> None:
    pool = BlockPool(9)
    cache = PrefixCache(pool, 2)
    running: list[Sequence] = []
    for action, which, n in steps:
        if action == 0 or not running:
            narrow = which % 2 == 1
            running.append(
                WindowedSequence(pool, 2, cache, window=3) if narrow else Sequence(pool, 2, cache)
            )
            prompt = [which // 4, *range(n)]
            try:
                running[-1].append(prompt[running[-1].reuse_prefix(prompt) :])
            except OutOfBlocksError:
                running.pop().free()
        elif action == 1:
            try:
                running[which % len(running)].append(range(n))
            except OutOfBlocksError:
                running.pop(0).free()
        elif action == 2:
            running.pop(which % len(running)).free()
        else:
            s = running[which % len(running)]
            with contextlib.suppress(ValueError):  # the window gave back what would be seen
                s.truncate(max(len(s) - 1, 0))
        held = [(block, key) for key, blocks in pool.cached_blocks.items() for block in blocks]
        known = [(block, key) for block, key in enumerate(pool.block_hash) if key is not None]
        assert sorted(held) == known
    for s in running:
        s.free()
    cache.reset()
    assert pool.num_free_blocks == 8
    assert set(pool.block_hash) == {None}
    assert not pool.cached_blocks


def test_16_a_refused_append_gives_nothing_back_and_nothing_is_seen_behind_the_window() -> None:
    s = windowed(4, 1, window=1)
    s.append([1, 2, 3])
    with pytest.raises(OutOfBlocksError):
        s.append([4])
    assert s.block_table == [1, 2, 3]
    s.free_before(99)  # more than there is
    s.free_before(2)
    assert s.block_table == [0, 0, 0]
    assert s.slot_mapping(1) == [-1, -1]
    plain = windowed(5, 1, window=9)
    cache = PagedCache(PagedStorage(5, 1, 1), plain)
    cache.extend([1, 2])
    plain.free_before(1)
    for kind in (cache, GatheredCache(cache.storage, plain)):
        with pytest.raises(ValueError, match="logical block 0 was given back"):
            kind.attend(0, np.ones((1, 1, 1)))
    with pytest.raises(ValueError, match="3 queries over 2 keys"):
        cache.attend(0, np.ones((3, 1, 1)))


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 7))
def test_16_attention_in_a_window_equals_the_masked_whole(
    seed: int, window: int, block_size: int, chunk: int
) -> None:
    rng = np.random.default_rng(seed)
    n = 13
    Q, K, V = rng.normal(size=(3, n, 1, 2))
    position = np.arange(n)
    mask = causal_mask(n, n) & (position[None, :] > position[:, None] - window)
    expected = attend_heads(Q, K, V, mask)
    cache = PagedCache(PagedStorage(20, block_size, 2), windowed(20, block_size, window))
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        cache.extend(position[rows].tolist())
        cache.write(0, K[rows], V[rows])
        np.testing.assert_allclose(cache.attend(0, Q[rows]), expected[rows], atol=1e-12)
    kept = sum(block != NULL_BLOCK for block in cache.sequence.block_table)
    assert kept <= (window + chunk) // block_size + 2


# Storage


def test_19_slot_minus_1_writes_nothing_and_slots_are_64_bits() -> None:
    storage = PagedStorage(3, 2, 1)
    rows = np.arange(3.0).reshape(3, 1, 1)
    storage.write(0, [-1, 2, -1], rows, rows)
    assert storage.K[0, 1, 0, 0, 0] == 1
    assert np.isnan(storage.K).sum() == storage.K.size - 1
    for slots in ([6, 0, 0], [-2, 0, 0]):
        with pytest.raises(ValueError, match=r"not all within -1 … 5"):
            storage.write(0, slots, rows, rows)
    s = Sequence(BlockPool(2), 2)
    s.append([0])
    s.block_table[0] = 2**31  # more slots than 32 bits can count
    assert s.slot_mapping(0) == [2**32]


def test_19_a_number_that_the_storage_cannot_hold_is_refused() -> None:
    storage, row = PagedStorage(4, 2, 1, dtype=np.float16), np.full((1, 1, 1), 70_000.0)
    with pytest.raises(ValueError, match="K is not finite in the row of new token 0"):
        storage.write(0, [2], row, row)
    contiguous = ContiguousCache(4, 1, dtype=np.float16)
    contiguous.extend([1])
    with pytest.raises(ValueError, match="K is not finite in the row of new token 0"):
        contiguous.write(0, row, row)
    assert contiguous.num_computed_tokens == 0


def test_20_unused_slots_hold_nan_and_never_reach_a_result() -> None:
    rng = np.random.default_rng(1)
    Q, K, V = rng.normal(size=(3, 5, 1, 2))
    cache = PagedCache(PagedStorage(6, 4, 2), sequence(6, 4))
    cache.extend(range(5))
    cache.write(0, K, V)
    assert np.isnan(cache.storage.K[0, cache.sequence.block_table[1]]).any()
    out = cache.attend(0, Q)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out, attend_heads(Q, K, V, causal_mask(5, 5)), atol=1e-12)


def test_20_length_0_gives_0_with_log_sum_exp_minus_infinity() -> None:
    storage = PagedStorage(2, 4, 2)
    empty = paged_attention(np.ones((0, 1, 2)), storage.K[0], storage.V[0], [], 0)
    assert parts.finish(empty).shape == (1, 0, 2)
    nothing = parts.Part(np.full((1, 1), -np.inf), np.zeros((1, 1)), np.zeros((1, 2)))
    np.testing.assert_array_equal(parts.finish(nothing), 0)
    np.testing.assert_array_equal(log_sum_exp(nothing), -np.inf)


def test_20_log_sum_exp() -> None:
    rng = np.random.default_rng(2)
    Q, K = rng.normal(size=(2, 3, 2))
    a = attend(Q, K, K)
    expected = np.log(np.exp(a.scaled).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(log_sum_exp(parts.part(Q, K, K)), expected)


@pytest.mark.parametrize("whose", MAKERS)
def test_21_a_query_head_reads_its_groups_kv_head(whose: str) -> None:
    cache = MAKERS[whose](4, 2, 1, h_kv=2)
    cache.extend([0, 1, 2])
    V = np.array([10.0, 20.0])[None, :, None].repeat(3, axis=0)  # head 0 holds 10, head 1 holds 20
    cache.write(0, V, V)
    np.testing.assert_allclose(cache.attend(0, np.ones((1, 6, 1)))[0, :, 0], [10] * 3 + [20] * 3)


def test_21_query_heads_that_do_not_divide_evenly_are_refused() -> None:
    cache = PagedCache(PagedStorage(4, 2, 1, h_kv=2), sequence(4, 2))
    cache.extend([0])
    with pytest.raises(ValueError, match="3 query heads cannot share 2"):
        cache.attend(0, np.ones((1, 3, 1)))


def test_22_padding_in_a_block_table_may_hold_anything() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(3, 1, 2))
    cache = PagedCache(PagedStorage(4, 2, 2), sequence(4, 2))
    cache.extend([0, 1, 2])
    cache.write(0, rows, rows)
    padded = [*cache.sequence.block_table, 2**31 - 1, -1]
    K, V = cache.storage.K[0], cache.storage.V[0]
    out = parts.finish(paged_attention(rows, K, V, padded, 3)).transpose(1, 0, 2)
    np.testing.assert_array_equal(out, cache.attend(0, rows))


def test_23_csr_export() -> None:
    pool = BlockPool(20)
    sequences = [Sequence(pool, 16) for _ in range(3)]
    for s, length in zip(sequences, (96, 1, 17), strict=True):
        s.append(range(length))
    csr = to_csr(sequences)
    assert csr.kv_indptr.tolist() == [0, 6, 7, 9]
    assert csr.kv_indices.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert csr.last_page_len.tolist() == [16, 1, 1]
    assert {a.dtype for a in (csr.kv_indptr, csr.kv_indices, csr.last_page_len)} == {
        np.dtype("int32")
    }
    with pytest.raises(ValueError, match="without tokens"):
        to_csr([Sequence(pool, 16)])


# One interface: naive = contiguous = paged


@pytest.mark.parametrize("whose", MAKERS)
@pytest.mark.parametrize("block_size", [1, 2, 3, 16])
def test_the_example_runs_unchanged_on_the_paged_cache(
    ex: Example, block_size: int, whose: str
) -> None:
    paged = MAKERS[whose](10, block_size, ex.d_k, h_kv=ex.heads)
    prompt = ex.ids(ex.prompt)
    for a, b in zip(
        generate(ex.model, prompt, NoCache()), generate(ex.model, prompt, paged), strict=True
    ):
        assert a.next_token == b.next_token
        np.testing.assert_allclose(a.logits[-1], b.logits[-1], atol=1e-12)
    assert paged.num_computed_tokens == 4


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 6),
    st.data(),
)
def test_naive_contiguous_and_paged_agree_for_random_models(
    seed: int, layers: int, h_kv: int, group: int, block_size: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    d_k = int(rng.integers(1, 5))
    model = random_model(rng, layers=layers, h=h_kv * group, h_kv=h_kv, d_k=d_k)
    tokens = rng.integers(0, 7, size=rng.integers(1, 14)).tolist()
    whole = forward(model, tokens, NoCache())
    contiguous = ContiguousCache(len(tokens), d_k, layers=layers, h_kv=h_kv)
    pool = BlockPool(40)
    pool.free_blocks(rng.permutation(pool.get_new_blocks(39)).tolist())  # blocks in any order
    storage = PagedStorage(40, block_size, d_k, layers=layers, h_kv=h_kv)
    paged = PagedCache(storage, Sequence(pool, block_size))
    learners = MAKERS["learner"](40, block_size, d_k, layers=layers, h_kv=h_kv)
    scale = np.abs(whole).max() + 1
    fed = 0
    while fed < len(tokens):
        n = data.draw(st.integers(1, len(tokens) - fed))
        for cache in (contiguous, paged, learners):
            logits = forward(model, tokens[fed : fed + n], cache)
            np.testing.assert_allclose(logits, whole[fed : fed + n], atol=1e-10 * scale)
        fed += n


def test_a_prefix_hit_gives_the_logits_of_a_run_without() -> None:
    rng = np.random.default_rng(4)
    model = random_model(rng, layers=2, h=2, h_kv=1, d_k=3)
    first = sequence(20, 2, cached=True)
    storage = PagedStorage(20, 2, 3, layers=2)
    prompt = [1, 2, 3, 4, 5]
    forward(model, prompt, PagedCache(storage, first))
    hit = another(first)
    assert hit.reuse_prefix([1, 2, 3, 4, 6]) == 4
    logits = forward(model, [6], PagedCache(storage, hit))
    expected = forward(model, [1, 2, 3, 4, 6], NoCache())[-1:]
    np.testing.assert_allclose(logits, expected, atol=1e-10)


@pytest.mark.parametrize("whose", MAKERS)
def test_forks_write_their_own_copies(whose: str) -> None:
    rng = np.random.default_rng(5)
    model = random_model(rng, layers=2, h=2, h_kv=2, d_k=2)
    parent = MAKERS[whose](20, 4, 2, layers=2, h_kv=2)
    forward(model, [1, 2, 3], parent)
    child = parent.fork()
    ends = {}
    for cache, token in ((parent, 4), (child, 5)):
        ends[token] = forward(model, [token], cache)
    for token, logits in ends.items():
        expected = forward(model, [1, 2, 3, token], NoCache())[-1:]
        np.testing.assert_allclose(logits, expected, atol=1e-10)


# Events


def test_every_change_of_state_can_be_heard() -> None:
    heard: list[Event] = []
    s = sequence(5, 2, cached=True)
    s.pool.listeners.append(heard.append)
    s.append([1, 2, 3])
    child = s.fork()
    child.append([4])
    child.free()
    s.free()
    s.pool.get_new_blocks(4)
    assert heard == [
        ("allocated", 1, 1), ("allocated", 2, 1), ("written", 1, 2), ("written", 2, 1),
        ("cached", 1, None),
        ("shared", 1, 2), ("shared", 2, 2),  # the fork
        ("allocated", 3, 1), ("freed", 2, 1), ("copied", 3, 2), ("written", 3, 2),
        ("cached", 3, None),
        ("freed", 3, 0), ("freed", 1, 1),  # the child
        ("freed", 2, 0), ("freed", 1, 0),  # the parent
        ("evicted", 3, None), ("evicted", 1, None),
        ("allocated", 2, 1), ("allocated", 4, 1), ("allocated", 3, 1), ("allocated", 1, 1),
    ]  # fmt: skip


@pytest.mark.parametrize("window", [None, 3])
def test_one_token_is_told_as_several_are(window: int | None) -> None:
    heard: list[Event] = []
    s = windowed(5, 2, window, cached=True) if window else sequence(5, 2, cached=True)
    s.append([1])
    s.pool.listeners.append(heard.append)
    s.append_token(2)
    s.append_token(3)
    assert heard == [
        ("written", 1, 2), ("cached", 1, None), ("allocated", 2, 1), ("written", 2, 1)
    ]  # fmt: skip


def test_what_is_taken_back_can_be_heard() -> None:
    heard: list[Event] = []
    s = sequence(9, 2, cached=True)
    s.append([1, 2, 3, 4])
    s.pool.listeners.append(heard.append)
    s.truncate(3)
    assert heard == [("evicted", 2, None), ("written", 2, 1)]
    twin = another(s)
    twin.append([1, 2])
    heard.clear()
    twin.free()
    assert heard == [("evicted", 3, None), ("freed", 3, 0)]
    fork = s.fork()
    heard.clear()
    fork.truncate(1)  # the block is still full for the other
    assert heard == [("freed", 2, 1)]
    s.free()
    heard.clear()
    fork.append([9])
    assert heard == [("evicted", 1, None), ("written", 1, 2), ("cached", 1, None)]


def test_whose_the_last_block_is_decides_what_is_told() -> None:
    heard: list[Event] = []
    s = sequence(9, 2)
    s.append([1, 2])
    s.fork()  # it shares the first block, not those that come
    s.append([3, 4])
    s.pool.listeners.append(heard.append)
    s.truncate(3)
    assert heard == [("written", 2, 1)]
    s.fork()
    heard.clear()
    s.append_token(5)  # copied first
    assert ("copied", 3, 2) in heard


def test_slots_and_misuse() -> None:
    s = sequence(5, 2)
    s.append([7, 8, 9])
    assert s.slot_mapping(1) == [3, 4]
    with pytest.raises(ValueError, match="position -1 is not one of the 3 tokens'"):
        s.slot(-1)
    with pytest.raises(ValueError, match="has 3 tokens already"):
        s.reuse_prefix([1])
    with pytest.raises(ValueError, match="block_size must be at least 1"):
        Sequence(s.pool, 0)
    with pytest.raises(ValueError, match="blocks of 4, not 2"):
        Sequence(s.pool, 2, PrefixCache(s.pool, 4))
    with pytest.raises(ValueError, match="window must be at least 1, got 0"):
        WindowedSequence(s.pool, 2, window=0)
    with pytest.raises(ValueError, match="another pool's"):
        Sequence(BlockPool(3), 4, PrefixCache(BlockPool(3), 4))
    with pytest.raises(ValueError, match="the storage has 4 blocks, the pool 5"):
        PagedCache(PagedStorage(4, 2, 1), s)
    with pytest.raises(ValueError, match="cannot take -1 blocks"):
        s.pool.get_new_blocks(-1)
    with pytest.raises(ValueError, match="blocks of 4, the sequence of 2"):
        PagedCache(PagedStorage(5, 4, 1), s)


@pytest.mark.parametrize("stored", [np.float16, np.float32, np.float64])
def test_rows_are_kept_in_the_storage_s_type_and_attended_in_the_queries_type(
    stored: type[np.floating],
) -> None:
    rng = np.random.default_rng(1)
    cache = PagedCache(
        PagedStorage(9, 4, 8, h_kv=2, dtype=stored), Sequence(BlockPool(9), block_size=4)
    )
    plain = ContiguousCache(11, 8, h_kv=2, dtype=stored)
    K, V = rng.normal(size=(2, 11, 2, 8)).astype(np.float32)
    Q = rng.normal(size=(11, 4, 8)).astype(np.float32)
    for one in (cache, plain):
        one.extend(range(11))
        one.write(0, K, V)
    assert cache.storage.K.dtype == plain.K.dtype == stored
    result, expected = cache.attend(0, Q), plain.attend(0, Q)
    assert result.dtype == np.result_type(stored, np.float32)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_a_layer_that_is_not_there_is_refused_by_attend_too() -> None:
    cache = PagedCache(PagedStorage(3, 2, 2), Sequence(BlockPool(3), 2))
    cache.extend([0])
    cache.write(0, np.ones((1, 1, 2)), np.ones((1, 1, 2)))
    with pytest.raises(ValueError, match=r"layer -1 is not one of 0 … 0"):
        cache.attend(-1, np.ones((1, 1, 2)))


@pytest.mark.parametrize("wrong", [1, 99, 0, -1, 2])
def test_a_refused_free_changes_nothing(wrong: int) -> None:
    pool = BlockPool(5)
    (block,) = pool.get_new_blocks(1)
    told: list[Event] = []
    pool.listeners.append(told.append)
    with pytest.raises(ValueError, match=f"block {wrong} |freed twice"):
        pool.free_blocks([block, wrong])
    assert (pool.ref_cnt[block], pool.num_free_blocks, told) == (1, 3, [])
