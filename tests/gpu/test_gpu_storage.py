"""Torch storage beside NumPy's under the same block tables, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu import memory, storage
from gpu.batch import make_batch, pack
from gpu.cache import BatchCache, PagedCache
from gpu.devices import DeviceError, choose_device
from gpu.storage import Layout, PagedStorage, move_blocks, storage_bytes
from gpu.verification.sides import to_numpy
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference import paged

LAYERS, BLOCKS, SIZE, H_KV, D_K = 2, 6, 3, 2, 4


def both(layout: str = "HND") -> tuple[PagedStorage, paged.PagedStorage]:
    sizes = {"layers": LAYERS, "h_kv": H_KV}
    ours = PagedStorage(BLOCKS, SIZE, D_K, layout=layout, **sizes)  # type: ignore[arg-type]
    return ours, paged.PagedStorage(BLOCKS, SIZE, D_K, dtype=np.float32, **sizes)


def assert_same(ours: PagedStorage, reference: paged.PagedStorage) -> None:
    for pool, other in ((ours.K, reference.K), (ours.V, reference.V)):
        assert pool.shape == other.shape
        np.testing.assert_array_equal(to_numpy(pool), other)


@given(
    slots=st.lists(st.integers(-1, BLOCKS * SIZE - 1), min_size=1, max_size=9),
    copies=st.lists(
        st.tuples(st.integers(0, BLOCKS - 1), st.integers(0, BLOCKS - 1)),
        max_size=5,
        unique_by=lambda pair: pair[1],
    ),
    layout=st.sampled_from(["HND", "NHD"]),
    at_once=st.sampled_from([1, 1 << 30]),
)
@settings(deadline=None)
def test_writes_copies_and_swaps_leave_the_same_bits(
    slots: list[int], copies: list[tuple[int, int]], layout: str, at_once: int
) -> None:
    slots = [slot for i, slot in enumerate(slots) if slot < 0 or slot not in slots[:i]]
    rng = np.random.default_rng(len(slots))
    ours, reference = both(layout)
    for layer in range(LAYERS):
        K, V = rng.standard_normal((2, len(slots), H_KV, D_K)).astype(np.float32)
        ours.write(layer, slots, torch.from_numpy(K), torch.from_numpy(V))
        reference.write(layer, slots, K, V)
    assert_same(ours, reference)
    host, reference_host = both()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "COPIED_AT_ONCE", at_once)
        ours.copy_blocks(copies)
        move_blocks(ours, host, copies)
    reference.copy_blocks(copies)
    paged.move_blocks(reference, reference_host, copies)
    assert_same(ours, reference)
    assert_same(host, reference_host)


@given(st.lists(st.sampled_from(["extend", "fork", "free"]), max_size=12), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_a_life_of_forks_beside_the_reference(life: list[str], seed: int) -> None:
    """The same verbs on both caches; every output is the same within float64's rounding."""
    rng = np.random.default_rng(seed)
    ours = PagedStorage(40, SIZE, D_K, h_kv=H_KV, dtype=torch.float64)
    theirs = paged.PagedStorage(40, SIZE, D_K, h_kv=H_KV)
    pool, other = BlockPool(40), BlockPool(40)
    caches = [
        (PagedCache(ours, Sequence(pool, SIZE)), paged.PagedCache(theirs, Sequence(other, SIZE)))
    ]
    for verb in ["extend", *life]:
        at = int(rng.integers(len(caches)))
        mine, reference = caches[at]
        if verb == "fork":
            caches.append((mine.fork(), reference.fork()))
        elif verb == "free" and len(caches) > 1:
            mine.free()
            reference.free()
            del caches[at]
        elif verb == "extend":
            n = int(rng.integers(1, 6))
            Q, K, V = rng.standard_normal((3, n, H_KV, D_K))
            for cache in (mine, reference):
                cache.extend(range(n))
            assert mine.sequence.block_table == reference.sequence.block_table
            mine.write(0, torch.from_numpy(K), torch.from_numpy(V))
            reference.write(0, K, V)
            out = mine.attend(0, torch.from_numpy(Q))
            np.testing.assert_allclose(out.numpy(), reference.attend(0, Q), atol=1e-12)
    np.testing.assert_array_equal(ours.K.numpy(), theirs.K)


def test_a_batch_is_each_sequence_alone() -> None:
    pool, ours = BlockPool(9), PagedStorage(9, SIZE, D_K, h_kv=H_KV)
    sequences = [Sequence(pool, SIZE) for _ in range(3)]
    counts = [4, 1, 2]
    for sequence, n in zip(sequences, counts, strict=True):
        sequence.append(range(n))
    cache = BatchCache(ours)
    feed = list(zip(sequences, counts, strict=True))
    batch = cache.fed(feed)
    assert batch.query_start_loc.tolist() == [0, 4, 5, 7]
    assert batch.block_table.dtype == torch.int32
    Q, K, V = torch.randn(3, 7, H_KV, D_K, generator=torch.Generator().manual_seed(1))
    cache.write(0, K, V)
    together = cache.attend(0, Q)
    for sequence, n, start in zip(sequences, counts, batch.starts[:-1], strict=True):
        alone = PagedCache(ours, sequence)
        alone.fed(n)
        assert torch.equal(together[start : start + n], alone.attend(0, Q[start : start + n]))


def test_what_is_refused() -> None:
    ours, _ = both()
    K = torch.zeros(2, H_KV, D_K)
    with pytest.raises(ValueError, match=r"not all within -1 … 17"):
        ours.write(0, [0, 18], K, K)
    with pytest.raises(ValueError, match=r"not all within"):
        ours.write(0, [0, -2], K, K)
    with pytest.raises(ValueError, match=r"layer -1 is not one of 0 … 1"):
        ours.write(-1, [0, 1], K, K)
    with pytest.raises(ValueError, match=r"K has shape \(2, 2, 4\), expected \(3, 2, 4\)"):
        ours.write(0, [0, 1, 2], K, K)
    with pytest.raises(ValueError, match=r"V is torch.float16"):
        ours.write(0, [0, 1], K, K.half())
    with pytest.raises(ValueError, match=r"blocks \[-1\] are not all within 0 … 5"):
        ours.copy_blocks([(0, -1)])
    with pytest.raises(ValueError, match="block_size must be at least 1, got 0"):
        PagedStorage(2, 0, 4)
    with pytest.raises(ValueError, match="the batch is empty"):
        make_batch([])
    with pytest.raises(ValueError, match="no token has been fed"):
        BatchCache(ours).write(0, K, K)
    pool = BlockPool(7)
    with pytest.raises(ValueError, match="the storage has 6 blocks, the pool 7"):
        PagedCache(ours, Sequence(pool, SIZE))
    with pytest.raises(ValueError, match="blocks of 3, the sequence of 4"):
        PagedCache(ours, Sequence(pool, 4))


def test_rows_that_are_refused_give_their_slots_back() -> None:
    cache = PagedCache(both()[0], Sequence(BlockPool(BLOCKS), SIZE))
    cache.extend([1, 2])
    rows = torch.zeros(2, H_KV, D_K)
    rows[1, 0, 0] = float("nan")
    with pytest.raises(ValueError, match="V is not finite in the row of new token 1"):
        cache.write(0, torch.zeros(2, H_KV, D_K), rows)
    assert cache.num_computed_tokens == 0
    assert cache.sequence.pool.num_free_blocks == BLOCKS - 1
    other = PagedCache(cache.storage, Sequence(cache.sequence.pool, SIZE))
    other.extend([3, 4])  # in the block that was given back
    with pytest.raises(ValueError, match="no token has been fed yet"):
        cache.write(0, torch.zeros(2, H_KV, D_K), torch.zeros(2, H_KV, D_K))
    with pytest.raises(ValueError, match="K has shape"):
        other.write(0, torch.zeros(2), torch.zeros(2))
    assert other.num_computed_tokens == 0


def test_where_a_batch_s_rows_are_refused_all_give_their_slots_back() -> None:
    pool = BlockPool(BLOCKS)
    prefixes = PrefixCache(pool, SIZE)
    sequences = [Sequence(pool, SIZE, prefixes) for _ in range(2)]
    for first, sequence in enumerate(sequences):
        sequence.append([first, 2, 3])
    batch = BatchCache(both()[0])
    batch.fed([(sequence, 3) for sequence in sequences])
    with pytest.raises(ValueError, match="K has shape"):
        batch.write(0, torch.zeros(5, H_KV, D_K), torch.zeros(5, H_KV, D_K))
    assert pool.num_used_blocks == 0
    assert [prefixes.match([first, 2, 3, 4]) for first in range(2)] == [[], []]


def test_sequences_of_different_windows_do_not_mix() -> None:
    pool = BlockPool(9)
    pair = [(Sequence(pool, SIZE), 1), (WindowedSequence(pool, SIZE, window=4), 1)]
    for sequence, _ in pair:
        sequence.append([1])
    with pytest.raises(ValueError, match="share one window"):
        make_batch(pair)
    sinks = WindowedSequence(pool, SIZE, window=4, sinks=1)
    sinks.append([1])
    with pytest.raises(ValueError, match="a window with sinks is for the NumPy reference alone"):
        make_batch([(sinks, 1)])


def test_packing_pads_with_the_null_block() -> None:
    assert pack([[3], [1, 2], []]).tolist() == [[3, 0], [1, 2], [0, 0]]


def test_a_pool_is_refused_before_it_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda device: 2**30)
    with pytest.raises(memory.NotEnoughMemoryError, match="2 GiB needed, 1 GiB free on cpu"):
        PagedStorage(256, 16, 128, layers=32, h_kv=32, dtype=torch.float16)


def test_the_bytes_of_llama2_7b() -> None:
    sizes = {"layers": 32, "h_kv": 32, "dtype": torch.float16}
    assert memory.size(storage_bytes(1, 1, 128, **sizes)) == "512 KiB"  # type: ignore[arg-type]
    assert memory.size(storage_bytes(1, 16, 128, **sizes)) == "8 MiB"  # type: ignore[arg-type]
    assert memory.size(storage_bytes(256, 16, 128, **sizes)) == "2 GiB"  # type: ignore[arg-type]
    small = PagedStorage(3, 16, 8, dtype=torch.float16)
    assert small.nbytes == storage_bytes(3, 16, 8, dtype=torch.float16)


def test_a_containers_limit_counts(tmp_path: Path) -> None:
    assert memory._left_in_group(tmp_path) is None
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("100\n")
    assert memory._left_in_group(tmp_path) is None
    (tmp_path / "memory.max").write_text("1000\n")
    assert memory._left_in_group(tmp_path) == 900


def test_the_memory_of_this_computer_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    free = memory.free_bytes(cpu)
    assert free is not None and 2**20 < free < 2**50
    with pytest.raises(memory.NotEnoughMemoryError, match="free on cpu"):
        memory.require(2**50, cpu)
    assert memory.free_bytes(torch.device("meta")) is None
    memory.require(2**50, torch.device("meta"))  # who does not say how much is not asked

    def unreadable(self: Path, encoding: str) -> str:
        raise FileNotFoundError(self)

    monkeypatch.setattr(Path, "read_text", unreadable)  # a system without /proc
    pages = {"SC_AVPHYS_PAGES": 12, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", pages.__getitem__)
    assert memory.free_bytes(cpu) == 12 * 4096
    monkeypatch.setattr(memory.os, "sysconf", lambda name: int(""))
    assert memory.free_bytes(cpu) is None


@pytest.mark.parametrize("layout", ["NHD", "HND"])
def test_layouts_differ_in_memory_alone(layout: Layout) -> None:
    """N slots, H heads, D numbers: the first letter is what lies furthest apart in a block."""
    pool = PagedStorage(3, 4, 8, layers=2, h_kv=2, layout=layout).V
    assert pool.shape == (2, 3, 4, 2, 8)
    by_letter = dict(zip("NHD", pool.stride()[2:], strict=True))
    assert sorted(layout, key=lambda letter: -by_letter[letter]) == list(layout)


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device() == torch.device("cpu")
    for name, kind in (("cuda", "cuda"), ("abacus", "unknown"), ("meta", "absent")):
        with pytest.raises(DeviceError, match=kind):
            choose_device(name)
