"""A prompt's blocks from one pool to another: what is sent, what is known, what is given up."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.handover import blocks_to_send, give_up, make_room
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.window import WindowedSequence


class Side:
    """A pool with a prefix cache."""

    def __init__(self, blocks: int = 60, size: int = 4) -> None:
        self.pool, self.size = BlockPool(blocks), size
        self.prefixes = PrefixCache(self.pool, size)

    def sequence(self) -> Sequence:
        return Sequence(self.pool, self.size, self.prefixes)


def test_a_prefix_that_the_receiver_knows_is_not_sent_again() -> None:
    sender, receiver = Side(), Side()
    receiver.pool.get_new_blocks(5)  # somebody else's
    for prompt, known in (
        (range(10), 0),
        ([*range(9), 99, 98], 2),
        (range(8), 2),  # all of it: who only decodes need not compute the last one again
        (range(3), 0),
    ):
        source, target = sender.sequence(), receiver.sequence()
        source.reuse_prefix(prompt)
        source.append(prompt[len(source) :])
        assert make_room(target, prompt) == known
        copies = blocks_to_send(source, target, known)
        assert [a for a, _ in copies] == source.block_table[known:]
        assert [b for _, b in copies] == target.block_table[known:]
        assert target.token_ids == list(prompt)
        source.free()
        target.free()
    assert (sender.pool.num_used_blocks, receiver.pool.num_used_blocks) == (0, 5)


@pytest.mark.parametrize(("blocks", "tokens"), [(2, 9), (2, 8), (1, 4)])
def test_a_receiver_without_room_is_as_it_was(blocks: int, tokens: int) -> None:
    """With 8 tokens the prompt would fit, but not the token that comes with it."""
    receiver = Side(blocks + 1)
    sequence = receiver.sequence()
    with pytest.raises(OutOfBlocksError):
        make_room(sequence, range(tokens))
    assert (len(sequence), receiver.pool.num_used_blocks) == (0, 0)
    assert make_room(sequence, range(tokens - 2)) == 0


PROMPTS = st.lists(st.integers(0, 1), min_size=1, max_size=20)


@settings(max_examples=200)
@given(st.integers(1, 5), st.lists(st.tuples(PROMPTS, st.booleans()), min_size=1, max_size=8))
def test_what_is_found_has_always_arrived(size: int, life: list[tuple[list[int], bool]]) -> None:
    """Of a hand-over that breaks off nothing is found later, and no block is lost."""
    receiver, arrived = Side(60, size), set[tuple[int, ...]]()
    for prompt, completes in life:
        sequence = receiver.sequence()
        known = make_room(sequence, prompt)
        chains = [tuple(prompt[:end]) for end in range(size, len(prompt) + 1, size)]
        assert known == sum(chain in arrived for chain in chains)  # all that there is, no more
        if completes:
            arrived |= set(chains)
            sequence.free()
        else:
            give_up(sequence, known)
        assert receiver.pool.num_used_blocks == 0


def test_what_does_not_fit_together_is_refused() -> None:
    sender, receiver = Side(), Side()
    source, target = sender.sequence(), receiver.sequence()
    source.append(range(6))
    make_room(target, range(6))
    other = Side(size=2).sequence()
    make_room(other, range(6))
    for theirs, known, message in (
        (other, 0, "blocks of 4 are not blocks of 2"),
        (receiver.sequence(), 0, "do not hold the same tokens"),
        (target, 3, "3 of 2 blocks cannot be known"),
        (target, -1, "-1 of 2 blocks cannot be known"),
    ):
        with pytest.raises(ValueError, match=message):
            blocks_to_send(source, theirs, known)
    with pytest.raises(ValueError, match="has 6 tokens already"):
        make_room(target, range(6))
    with pytest.raises(ValueError, match="the prompt is empty"):
        make_room(receiver.sequence(), [])
    windowed = WindowedSequence(receiver.pool, 4, window=8)
    with pytest.raises(ValueError, match="through a window"):
        make_room(windowed, range(6))
