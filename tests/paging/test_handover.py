"""A sequence that goes over to another pool: its rows, what is not sent again, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.handover import hand_over, receive
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference.attention import attend_heads, causal_mask
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks

prompts = st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=12), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(prompts, st.integers(1, 4), st.integers(0, 10**6), st.booleans())
def test_decoding_goes_on_as_if_nothing_had_moved(
    token_ids: list[list[int]], block_size: int, seed: int, cached: bool
) -> None:
    """Rows depend on the tokens alone here, as in a model, so that a prefix may be shared."""
    rng = np.random.default_rng(seed)
    here, there = BlockPool(80), BlockPool(80)
    there.get_new_blocks(int(rng.integers(1, 9)))  # the block numbers differ
    storages = [PagedStorage(80, block_size, 2, layers=2) for _ in range(2)]
    cache = PrefixCache(there, block_size) if cached else None

    def rows(tokens: list[int]) -> np.ndarray:
        """K and V of both layers, of tokens behind one another: (2, 2, n, 1, 2)."""
        return np.stack([_rows_behind(tokens[: i + 1]) for i in range(len(tokens))], axis=2)

    for tokens in token_ids:
        source = PagedCache(storages[0], Sequence(here, block_size))
        source.extend(tokens)
        for layer, (K, V) in enumerate(rows(tokens)):
            source.write(layer, K, V)
        target = PagedCache(storages[1], Sequence(there, block_size, cache))
        copies = hand_over(source.sequence, target.sequence)
        known = 0 if cache is None else len(target.sequence.block_table) - len(copies)
        assert [a for a, _ in copies] == source.sequence.block_table[known:]
        assert [b for _, b in copies] == target.sequence.block_table[known:]
        move_blocks(*storages, copies)
        source.free()
        storages[0].K[:], storages[0].V[:] = np.nan, np.nan
        whole = [*tokens, 1]
        target.extend([1])
        for layer, (K, V) in enumerate(rows(whole)):
            target.write(layer, K[-1:], V[-1:])
            Q = rng.normal(size=(1, 1, 2))
            wanted = attend_heads(Q, K, V, causal_mask(1, len(whole)))
            np.testing.assert_allclose(target.attend(layer, Q), wanted)
        target.free()
    assert here.num_used_blocks == 0


def _rows_behind(tokens: list[int]) -> np.ndarray:
    return np.random.default_rng([*tokens, len(tokens)]).normal(size=(2, 2, 1, 2))


def test_blocks_that_are_known_there_are_not_sent_again() -> None:
    here, there = BlockPool(9), BlockPool(9)
    cache = PrefixCache(there, 2)
    source = Sequence(here, 2)
    source.append([1, 2, 3, 4, 5])
    first, second = Sequence(there, 2, cache), Sequence(there, 2, cache)
    assert hand_over(source, first) == [(1, 1), (2, 2), (3, 3)]
    assert hand_over(source, second) == [(3, 4)]
    assert second.block_table == [1, 2, 4]
    assert receive(Sequence(there, 2, cache), [1, 2, 9]) == 1
    assert receive(Sequence(there, 2, cache), [1, 2, 3, 4]) == 2  # all: who decodes computes none


@pytest.mark.parametrize(("tokens", "fits"), [(6, True), (7, True), (8, False), (9, False)])
def test_the_next_token_has_to_fit_as_well(tokens: int, fits: bool) -> None:
    there = BlockPool(3)
    sequence = Sequence(there, 4)
    if fits:
        assert receive(sequence, list(range(tokens))) == 0
        return
    with pytest.raises(OutOfBlocksError):
        receive(sequence, list(range(tokens)))
    assert (len(sequence), there.num_used_blocks) == (0, 0)


def test_what_is_refused_changes_nothing() -> None:
    here, there = BlockPool(9), BlockPool(3)
    source = Sequence(here, 2)
    source.append([1, 2, 3, 4, 5])
    target = Sequence(there, 2)
    with pytest.raises(OutOfBlocksError):
        hand_over(source, target)
    assert (len(target), there.num_free_blocks) == (0, 2)
    with pytest.raises(ValueError, match="blocks of 2 do not fit a pool with blocks of 4"):
        hand_over(source, Sequence(there, 4))
    target.append([1])
    with pytest.raises(ValueError, match="has 1 tokens already"):
        hand_over(source, target)
    windowed = WindowedSequence(here, 2, window=2)
    for pair in ((windowed, Sequence(there, 2)), (source, windowed)):
        with pytest.raises(ValueError, match="seen through a window is not handed over"):
            hand_over(*pair)
