"""Slots ahead and back: after guesses, a table is what it is without them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.speculative import SpeculativeSequence
from walkthrough.paging.swap import swap_in, swap_out

WRONG = 99  # a token that is never right


def a_life(size: int, blocks: int = 40) -> tuple[BlockPool, PrefixCache, SpeculativeSequence]:
    pool = BlockPool(blocks)
    prefixes = PrefixCache(pool, size)
    return pool, prefixes, SpeculativeSequence(pool, size, prefixes)


def test_the_lessons_question() -> None:
    """Six tokens cached, blocks of 4; the token sampled last and three guesses, one right."""
    pool, prefixes, sequence = a_life(4)
    sequence.append(range(6))
    sequence.roll_back(0)
    sequence.append([6, 7, WRONG, WRONG])
    assert len(sequence.block_table) == 3
    heard: list[Event] = []
    pool.listeners.append(heard.append)
    sequence.roll_back(2)
    assert (len(sequence), sequence.block_table, sequence.blocks_ahead) == (8, [1, 2], [3])
    assert pool.num_used_blocks == 3
    assert not [event for event in heard if event.kind == "freed"]
    assert [event.block for event in heard if event.kind == "cached"] == [2]
    assert prefixes.match([*range(8), 0]) == [1, 2]
    heard.clear()
    sequence.append([8])
    sequence.roll_back(0)  # nothing is taken back, and nothing written
    assert [event.kind for event in heard] == ["written"]
    pool.listeners.clear()
    assert (sequence.block_table, sequence.blocks_ahead) == ([1, 2, 3], [])


STEPS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 5), st.integers(0, 9), STEPS)
def test_after_each_roll_back_all_is_as_in_plain_decoding(
    size: int, prompt: int, steps: list[tuple[int, int]]
) -> None:
    pool, _, sequence = a_life(size, 400)
    plain_pool = BlockPool(400)
    plain_prefixes = PrefixCache(plain_pool, size)
    plain = Sequence(plain_pool, size, plain_prefixes)
    sequence.append(range(prompt))
    sequence.roll_back(0)
    plain.append(range(prompt))
    for right, wrong in steps:
        start, before = len(plain), pool.num_used_blocks
        sequence.append([*range(start, start + right), *[WRONG] * wrong])
        assert pool.num_used_blocks >= before
        assert pool.cached_blocks.keys() == plain_pool.cached_blocks.keys()  # verified ones alone
        held = sequence.block_table + sequence.blocks_ahead
        sequence.roll_back(wrong)
        assert sequence.block_table + sequence.blocks_ahead == held  # none is freed
        for token in range(start, start + right):
            plain.append([token])
        assert sequence.token_ids == plain.token_ids
        assert sequence.block_table == plain.block_table
        assert sequence.block_hashes == plain.block_hashes
        assert sequence.slot_mapping(0) == plain.slot_mapping(0)
        assert pool.cached_blocks == plain_pool.cached_blocks
        assert pool.num_used_blocks == len(held)
    sequence.free()
    assert pool.num_used_blocks == 0
    assert sequence.blocks_ahead == []


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 4), STEPS)
def test_a_plain_sequence_frees_what_it_takes_back(size: int, steps: list[tuple[int, int]]) -> None:
    """Over a pool of its own it is handed the same blocks again: the tables agree as well."""
    pool, plain_pool = BlockPool(400), BlockPool(400)
    sequence, plain = Sequence(pool, size), Sequence(plain_pool, size)
    for right, wrong in steps:
        sequence.append([*[0] * right, *[WRONG] * wrong])
        sequence.roll_back(wrong)
        plain.append([0] * right)
        assert (sequence.token_ids, sequence.block_table) == (plain.token_ids, plain.block_table)
        assert pool.num_used_blocks == plain_pool.num_used_blocks


def test_a_guess_for_which_there_is_no_room_changes_nothing() -> None:
    pool, _, sequence = a_life(2, blocks=4)
    sequence.append(range(4))
    sequence.roll_back(0)
    sequence.append([4, WRONG])
    sequence.roll_back(2)
    before = (list(sequence.block_table), list(sequence.blocks_ahead), list(pool.ref_cnt))
    with pytest.raises(OutOfBlocksError):
        sequence.append([4, 5, 6])
    assert (sequence.block_table, sequence.blocks_ahead, pool.ref_cnt) == before
    assert (len(sequence), sequence.num_guessed) == (4, 0)


def test_verified_tokens_are_not_taken_back() -> None:
    _, _, sequence = a_life(2)
    sequence.append([1, 2, 3])
    sequence.roll_back(1)
    for n in (1, -1):
        with pytest.raises(ValueError, match=f"cannot take back {n} tokens: 0 are guessed"):
            sequence.roll_back(n)
    sequence.append([3, 4])
    sequence.truncate(3, written=False)  # their rows never came
    with pytest.raises(ValueError, match="cannot take back 2 tokens: 1 are guessed"):
        sequence.roll_back(2)


def test_a_prefix_that_is_found_is_verified() -> None:
    _, prefixes, first = a_life(2)
    first.append([1, 2, 3, 4])
    first.roll_back(0)
    second = SpeculativeSequence(first.pool, 2, prefixes)
    assert second.reuse_prefix([1, 2, 3, 4, 5]) == 4
    with pytest.raises(ValueError, match="0 are guessed"):
        second.roll_back(1)
    second.append_token(5)
    second.roll_back(1)
    assert first.pool.ref_cnt[:4] == [0, 2, 2, 1]  # block 3 stays, ahead


def test_a_fork_shares_what_is_right_and_no_block_ahead() -> None:
    pool, _, sequence = a_life(2)
    sequence.append([1, 2, 3, WRONG, WRONG])
    sequence.roll_back(2)
    child = sequence.fork()
    assert (child.block_table, child.blocks_ahead) == ([1, 2], [])
    assert sequence.blocks_ahead == [3]
    assert child.append([4]) == [(2, 4)]  # copied before it is written
    assert sequence.append([4]) == []
    sequence.append([5])
    child.append([5])
    assert (sequence.block_table, child.block_table) == ([1, 2, 3], [1, 4, 5])
    sequence.free()
    child.free()
    assert pool.num_used_blocks == 0


def test_swapping_out_takes_no_block_ahead_along() -> None:
    pool, prefixes, sequence = a_life(2)
    host = BlockPool(10)
    sequence.append([1, 2, 3, WRONG, WRONG])
    sequence.roll_back(2)
    swapped, copies = swap_out(sequence, host)
    assert (len(copies), pool.num_used_blocks, host.num_used_blocks) == (2, 0, 2)
    back = SpeculativeSequence(pool, 2, prefixes)
    swap_in(swapped, back, host)
    assert (back.token_ids, len(back.block_table)) == ([1, 2, 3], 2)
