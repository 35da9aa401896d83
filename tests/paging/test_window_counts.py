"""What a window leaves out is neither read, counted nor told of; and what a full host pool says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import swap_in, swap_out
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference.attention import attend_heads, causal_mask
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage
from walkthrough.reference.work import Work


@pytest.mark.parametrize("kind", [PagedCache, GatheredCache])
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 7))
def test_only_blocks_that_are_there_are_read_and_counted(
    kind: type[PagedCache], seed: int, window: int, size: int, chunk: int
) -> None:
    n, h, h_kv, d_k = 13, 4, 2, 3
    rng = np.random.default_rng(seed)
    Q = rng.normal(size=(n, h, d_k))
    K, V = rng.normal(size=(2, n, h_kv, d_k))
    position = np.arange(n)
    mask = causal_mask(n, n) & (position[None, :] > position[:, None] - window)
    expected = attend_heads(Q, K, V, mask)
    storage = PagedStorage(20, size, d_k, h_kv=h_kv)
    cache = kind(storage, WindowedSequence(BlockPool(20), size, window=window))
    for start in range(0, n, chunk):
        rows = slice(start, start + chunk)
        cache.extend(position[rows].tolist())
        cache.write(0, K[rows], V[rows])
        work = Work()
        np.testing.assert_allclose(cache.attend(0, Q[rows], work), expected[rows], atol=1e-12)
        there = sum(block != NULL_BLOCK for block in cache.sequence.block_table)
        assert work.kv_bytes_read == there * 2 * size * h_kv * d_k * 8
        fed = len(position[rows])
        assert work.score_entries == there * size * h * fed
        assert work.multiply_adds == 2 * work.score_entries * d_k


def test_nothing_is_told_of_the_null_block() -> None:
    pool, host = BlockPool(9), BlockPool(9)
    told: list[Event] = []
    pool.listeners.append(told.append)
    s = WindowedSequence(pool, 2, window=2)
    for token in range(7):
        s.append_token(token)
    swapped, _ = swap_out(s, host)
    told.clear()
    back = WindowedSequence(pool, 2, window=2)
    swap_in(swapped, back, host)
    assert back.block_table[:2] == [NULL_BLOCK] * 2
    kept = back.block_table[2:]
    written = [(e.block, e.other) for e in told if e.kind == "written"]
    assert written == [(kept[0], 2), (kept[1], 1)]
    assert {e.block for e in told} == set(kept)


def test_a_host_pool_without_room_says_how_much_it_has() -> None:
    pool, host = BlockPool(9), BlockPool(3)
    s = Sequence(pool, 2)
    s.append(range(5))
    table = s.block_table.copy()
    with pytest.raises(OutOfBlocksError, match=r"^blocks asked for: 3, free: 2 of 2$"):
        swap_out(s, host)
    assert (s.block_table, host.num_free_blocks, pool.num_free_blocks) == (table, 2, 5)
