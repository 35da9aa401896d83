"""The gate before every backend: what does not fit is refused, in the same words as NumPy's."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from gpu.attention import BACKENDS, make_backend
from gpu.attention.inputs import check_inputs
from gpu.batch import Batch, from_table, make_batch
from gpu.verification.cases import make_case
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.attention import attend_heads
from walkthrough.reference.cache import ContiguousCache
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage, paged_attention
from walkthrough.reference.parts import finish

HERE = [name for name in BACKENDS if name != "varlen"]  # that one is CUDA's
BLOCKS, SIZE = 5, 4


def table(*ids: int) -> torch.Tensor:
    return torch.tensor([ids], dtype=torch.int32)


def inputs(n: int = 1, h: int = 4, h_kv: int = 2, d_k: int = 16) -> dict[str, Any]:
    K = torch.ones(BLOCKS, SIZE, h_kv, d_k)
    return {"Q": torch.ones(n, h, d_k), "K": K, "V": K.clone()}


def refused(name: str, match: str, batch: Batch, **changed: Any) -> None:
    with pytest.raises(ValueError, match=match):
        make_backend(name).attend(**(inputs() | changed), batch=batch)


@pytest.fixture
def batch() -> Batch:
    return from_table(table(1, 2, 3), [9], [1])


@pytest.mark.parametrize("name", BACKENDS)
def test_shapes_dtypes_and_devices_that_do_not_fit(name: str, batch: Batch) -> None:
    K = inputs()["K"]
    refused(name, "33 query heads cannot share 2 K/V heads", batch, Q=torch.ones(1, 33, 16))
    refused(name, "1 query heads cannot share 2", batch, Q=torch.ones(1, 1, 16))
    refused(name, "rows of 8 numbers, K of 16", batch, Q=torch.ones(1, 4, 8))
    refused(name, r"expected \(n, h, d_k\)", batch, Q=torch.ones(4, 16))
    refused(name, r"expected \(blocks, block_size, h_kv, d_k\)", batch, K=K[0])
    refused(name, "they must have the same", batch, V=K[:4])
    refused(name, "Q has 2 rows, the batch 1 tokens", batch, Q=torch.ones(2, 4, 16))
    refused(name, "one floating-point dtype is needed", batch, V=K.half())
    refused(name, "one floating-point dtype is needed", batch, K=K.int(), V=K.int())
    refused(name, "Q is on meta", batch, Q=torch.ones(1, 4, 16, device="meta"))
    elsewhere = replace(batch, block_table=batch.block_table.to("meta"))
    refused(name, "the batch on meta", elsewhere)


@pytest.mark.parametrize(
    ("ids", "match"),
    [
        ((1, -1, 3), "logical block 1 is block -1, not one of 1 … 4"),
        ((1, 0, 3), "logical block 1 was given back, and is still to be seen"),
        ((1, 2, 5), "logical block 2 is block 5, not one of 1 … 4"),
        ((1, 2), "9 tokens need 3 blocks of 4, the table has 2"),
    ],
)
def test_tables_that_cannot_be_right(ids: tuple[int, ...], match: str) -> None:
    for name in BACKENDS:
        refused(name, f"sequence 0 of the batch: {match}", from_table(table(*ids), [9], [1]))
    arrays = {name: tensor.numpy() for name, tensor in inputs().items()}
    with pytest.raises(ValueError, match=match):
        paged_attention(**arrays, block_table=ids, seq_len=9)


def test_which_sequence_it_is_and_that_each_pool_is_asked_once() -> None:
    two = from_table(torch.tensor([[1, 2], [3, 9]], dtype=torch.int32), [5, 5], [1, 1])
    with pytest.raises(ValueError, match="sequence 1 of the batch: logical block 1 is block 9"):
        two.check_blocks(BLOCKS, SIZE)
    two.check_blocks(10, SIZE)
    assert two.checked_for == {(10, SIZE)}
    assert replace(two, window=1).checked_for == set()


@pytest.mark.parametrize("name", HERE)
def test_padding_and_what_a_window_gave_back_may_be_there(name: str) -> None:
    wanted = make_backend(name).attend(**inputs(), batch=from_table(table(1, 2), [8], [1], 3))[0]
    for ids in ((0, 2), (0, 2, 2**31 - 1, -1), (1, 2, *range(9, 20))):
        batch = from_table(table(*ids), [8], [1], 3)
        assert torch.equal(make_backend(name).attend(**inputs(), batch=batch)[0], wanted)
    refused(name, "logical block 0 was given back", from_table(table(0, 2), [8], [1], 5))
    refused(name, "logical block 0 is block -1", from_table(table(-1, 2), [8], [1], 3))


def test_numpy_refuses_in_the_same_words() -> None:
    Q, K, V = (tensor.numpy() for tensor in inputs().values())
    for changed, match in (
        ((np.ones((1, 33, 16)), K, V), "33 query heads cannot share 2 K/V heads evenly"),
        ((Q[:, :, :8], K, V), "Q has rows of 8 numbers, K of 16: d_k must be the same"),
        ((Q, K, V[:4]), "they must have the same"),
        ((Q[0], K, V), r"expected \(n, h, d_k\)"),
    ):
        with pytest.raises(ValueError, match=match):
            paged_attention(*changed, block_table=[1, 2, 3], seq_len=9)
    assert not finish(paged_attention(Q, K, V, [], 0)).any()


def test_every_query_needs_a_key_of_its_own() -> None:
    """But the padding of a decode batch: one query over nothing; and nobody has to ask."""
    K, one, two = np.ones((5, 4, 1, 2)), np.ones((1, 1, 2)), np.ones((2, 1, 2))
    assert not finish(paged_attention(one, K, K, [], 0)).any()
    for seq_len in (0, 1):
        with pytest.raises(ValueError, match=f"2 queries over {seq_len} keys"):
            paged_attention(two, K, K, [1], seq_len)
        with pytest.raises(ValueError, match=f"2 queries over {seq_len} keys"):
            from_table(table(1), [seq_len], [2])
    assert from_table(table(1, 2), [5], [0]).num_tokens == 0


def test_lengths_that_cannot_be_right() -> None:
    one = table(1)
    for lengths, query_lens, match in (
        ([1], [2], "2 queries over 1 keys: each query needs its own key"),
        ([-1], [1], "1 queries over -1 keys: neither can be negative"),
        ([1, 1], [1, 1], "a row for each of 2 sequences"),
        ([], [], "the batch is empty"),
    ):
        with pytest.raises(ValueError, match=match):
            from_table(one, lengths, query_lens)
    with pytest.raises(ValueError, match="window must be at least 1, got 0"):
        from_table(one, [1], [1], 0)
    with pytest.raises(ValueError, match=r"the table is torch.int64 \(1, 1\)"):
        from_table(one.long(), [1], [1])


def test_make_batch_looks_at_the_tables_where_they_are_made() -> None:
    sequence = Sequence(BlockPool(4), SIZE)
    sequence.append(range(6))
    assert make_batch([(sequence, 1)]).checked_for == {(4, SIZE)}
    sequence.block_table[0] = 4
    with pytest.raises(ValueError, match="logical block 0 is block 4, not one of 1 … 3"):
        make_batch([(sequence, 1)])


def test_rows_of_one_query_and_of_more() -> None:
    batch = from_table(torch.ones(2, 1, dtype=torch.int32), [1, 2], [1, 2])
    assert batch.decode_rows is not None
    assert batch.prefill_rows is not None
    assert (batch.decode_rows.tolist(), batch.prefill_rows.tolist()) == ([0], [1])
    assert batch.decode_rows.dtype == torch.int32


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("width", [0, 1, 9])
def test_lengths_that_are_all_0_give_zeros(name: str, width: int) -> None:
    batch = from_table(torch.zeros(2, width, dtype=torch.int32), [0, 0], [1, 1])
    out, lse = make_backend(name).attend(**inputs(2), batch=batch)
    assert not out.any()
    assert lse is not None
    assert lse.isneginf().all()


@pytest.fixture
def bfloat16_by_default() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    yield
    torch.set_default_dtype(before)


@pytest.mark.parametrize("name", HERE)
def test_another_default_dtype_changes_nothing(name: str, bfloat16_by_default: None) -> None:
    case = make_case([17, 40, 0], [1, 9, 1], h=4, d_k=32)
    out, lse = case.attend(make_backend(name))
    assert out.dtype == torch.float32
    assert lse is not None
    assert lse.dtype == torch.float32
    assert case.agrees(make_backend(name))


def test_float16_in_numpy_has_room_for_its_scores() -> None:
    """q·k = 256 · 256 · 128 = 8,388,608, far beyond 65,504: half precision ends there."""
    rows = np.full((3, 1, 128), 256, np.float16)
    caches = [
        kind(PagedStorage(4, 2, 128, dtype=np.float16), Sequence(BlockPool(4), 2))
        for kind in (PagedCache, GatheredCache)
    ]
    outs = [attend_heads(rows, rows, rows, np.tri(3, dtype=np.bool_))]
    for cache in (*caches, ContiguousCache(3, 128, dtype=np.float16)):
        cache.extend([0, 1, 2])
        cache.write(0, rows, rows)
        outs.append(cache.attend(0, rows))
    for out in outs:
        np.testing.assert_array_equal(out, 256)


def test_the_gate_costs_microseconds() -> None:
    batch, given = from_table(table(1, 2, 3), [9], [1]), inputs()
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        check_inputs(**given, batch=batch)
        times.append(time.perf_counter() - begin)
    assert min(times) < 100e-6
