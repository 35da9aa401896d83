"""Smaller keys and values: the toys' numbers, bounds of the error, and the same block tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.swap import swap_in, swap_out
from walkthrough.paging.window import WindowedSequence, blocks_held
from walkthrough.reference.attention import attend_heads, causal_mask
from walkthrough.reference.cost import GEOMETRIES
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage, move_blocks
from walkthrough.reference.smaller.latent import LatentHeads, LatentStorage, quarter_turns
from walkthrough.reference.smaller.quantised import QuantisedStorage
from walkthrough.reference.smaller.rounding import FLOAT8, bits_per_number, quantised
from walkthrough.reference.work import Array, Work

# One channel, the third, is much larger than the others, as keys of real models have it.
KEYS = np.array([[1, -2, 70, 3], [2, 1, -63, -1], [-1, 3, 56, 2], [3, -1, -70, 1]], float)
QUERY = np.array([1, 1, 0, 1.0])


def test_a_scale_for_each_channel_saves_what_the_others_lose() -> None:
    tensor, token, channel = (quantised(KEYS, 4, axis) for axis in (None, 1, 0))
    assert tensor.scales.tolist() == [[10]]
    assert token.scales.tolist() == [[10], [9], [8], [10]]
    assert channel.scales.tolist() == [[3 / 7, 3 / 7, 10, 3 / 7]]
    assert (tensor.codes == 0).sum() == 12
    assert np.abs(KEYS - tensor.values).mean() == 1.75
    assert np.abs(KEYS - channel.values).mean() == pytest.approx(0.518, abs=5e-4)
    assert (KEYS @ QUERY).tolist() == [2, 2, 4, 3]
    assert (tensor.values @ QUERY).tolist() == (token.values @ QUERY).tolist() == [0, 0, 0, 0]
    assert (channel.values @ QUERY).round(3).tolist() == [1.714, 2.143, 4.286, 3.0]


numbers = st.floats(-1e4, 1e4, width=32).filter(lambda x: x == 0 or abs(x) > 1e-20)
shapes = st.tuples(st.integers(1, 4), st.integers(1, 5))


@st.composite
def tables(draw: st.DrawFn) -> Array:
    n, d = draw(shapes)
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    return np.array(rows)


@given(tables(), st.sampled_from([8, 4]), st.sampled_from([None, 0, 1]), st.booleans())
def test_a_number_is_off_by_half_a_scale_at_most(
    x: Array, bits: int, axis: int | None, narrow: bool
) -> None:
    found = quantised(x, bits, axis, np.float32 if narrow else None)
    assert found.codes.dtype == np.int8 and np.abs(found.codes).max() <= {8: 127, 4: 7}[bits]
    half = np.broadcast_to(found.scales.astype(float) / 2, x.shape)
    # A scale in float32 was rounded itself: by 2⁻²⁴ of it, and the code counts it 127 times.
    slack = half * 1e-12 + np.abs(x) * (2**-24 if narrow else 1e-15)
    assert (np.abs(x - found.codes * found.scales.astype(float)) <= half + slack).all()


@given(tables(), st.data())
def test_a_score_is_off_by_half_a_scale_for_each_unit_of_the_query(
    K: Array, data: st.DataObject
) -> None:
    """|q · (k − k')| ≤ ‖q‖₁ · s / 2, a scale for each token."""
    d = K.shape[1]
    q = np.array(data.draw(st.lists(st.floats(-9, 9), min_size=d, max_size=d)))
    found = quantised(K, 8, 1)
    error = np.abs(K @ q - found.values @ q)
    bound = np.abs(q).sum() * found.scales[:, 0] / 2
    assert (error <= bound + 1e-9 * (1 + bound + np.abs(K) @ np.abs(q))).all()


def test_what_is_too_large_for_its_scale_is_refused_and_leaves_nothing() -> None:
    """A scale of ∞ would read as NaN, for 0 · ∞ is."""
    for large in (1e300, 3.5e38):
        with pytest.raises(ValueError, match="too large: scales are in float32"):
            quantised(np.array([[large, 1.0]]), 8, 1, np.float32)
        cache = PagedCache(QuantisedStorage(3, 2, 2), Sequence(BlockPool(3), 2))
        cache.extend([1])
        with pytest.raises(ValueError, match="too large: scales are in float32"):
            cache.write(0, np.ones((1, 1, 2)), np.full((1, 1, 2), large))
        assert cache.num_computed_tokens == 0
    assert np.isfinite(quantised(np.array([[3e38, 1.0]]), 8, 1, np.float32).values).all()
    assert np.isfinite(quantised(np.array([[1e300, 1.0]]), 8, 1).values).all()


def test_what_cannot_be_rounded() -> None:
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match="only finite numbers"):
            quantised(np.array([1.0, wrong]))
    with pytest.raises(ValueError, match="3 bits are not known here; known: 8, 4"):
        quantised(np.ones(2), 3)
    with pytest.raises(ValueError, match="2 bits are not known here"):
        QuantisedStorage(2, 2, 2, bits=2)
    nothing = quantised(np.zeros((2, 3)), 8, 1)
    assert not nothing.values.any() and not nothing.scales.any()


def test_fp8_keeps_a_share_of_each_number_and_clips() -> None:
    e4m3, e5m2 = FLOAT8["e4m3"], FLOAT8["e5m2"]
    assert e4m3.rounded(np.array([300.0, 600, 0.0005, -1.06, 0])).tolist() == [288, 448, 0, -1, 0]
    assert e5m2.rounded(np.array([300.0, 60000, 1e-9])).tolist() == [320, 57344, 0]
    x = np.geomspace(2**-6, 448, 20_001)
    share = np.abs(e4m3.rounded(x) - x) / x
    assert 0.058 < share.max() <= 2**-4
    x = np.geomspace(2**-14, 57344, 20_001)
    share = np.abs(e5m2.rounded(x) - x) / x
    assert 0.11 < share.max() <= 2**-3
    assert np.isnan(e4m3.rounded(np.array([np.nan]))).all()
    # All numbers that there are: 2 signs of 126 and zero, and they stay what they are.
    steps = {
        float(i * 2.0**e / 8) for e in range(-6, 9) for i in range(16) if i * 2.0**e / 8 <= 448
    }
    assert len(steps) == 127
    assert e4m3.rounded(np.array(sorted(steps))).tolist() == sorted(steps)


def test_what_a_number_really_takes() -> None:
    assert bits_per_number(8, 128) == 8.25  # a float32 scale for the 128 numbers of a head
    assert bits_per_number(4, 128, 2, 16) == 4.25  # scale and zero in float16
    assert bits_per_number(2, 32, 2, 16) == 3.0  # KIVI: "2 bits", groups of 32
    storage = QuantisedStorage(5, 16, 128, layers=32, h_kv=8)
    assert storage.bytes_per_token == 2 * 32 * 8 * (128 + 4)
    assert storage.bytes_per_token / GEOMETRIES["llama3-8b"].bytes_per_token() == 8.25 / 16
    assert QuantisedStorage(5, 16, 128, bits=4).bytes_per_token == 2 * (64 + 4)


def rounded(rows: Array, bits: int) -> Array:
    """Rows (n, h_kv, d_k) as the storage keeps them."""
    found = quantised(rows, bits, -1, np.float32)
    return (found.codes * found.scales).astype(rows.dtype)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([8, 4]),
    st.integers(1, 5),
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.booleans(),
)
def test_paged_and_rounded_is_contiguous_and_rounded(
    seed: int, bits: int, block_size: int, parts: list[int], gathered: bool
) -> None:
    """Whatever the order of the blocks, with a fork, a copy and a way out and back between."""
    rng = np.random.default_rng(seed)
    h, h_kv, d_k, layers = 4, 2, 3, 2
    pool, host = BlockPool(60), BlockPool(60)
    pool.get_new_blocks(int(rng.integers(0, 5)))  # so that tables do not begin at 1
    sizes: dict[str, Any] = {"layers": layers, "h_kv": h_kv, "bits": bits}
    storage = QuantisedStorage(60, block_size, d_k, **sizes)
    beside = QuantisedStorage(60, block_size, d_k, **sizes)
    kind = GatheredCache if gathered else PagedCache
    cache = kind(storage, Sequence(pool, block_size))
    K, V = (np.empty((layers, 0, h_kv, d_k)) for _ in range(2))
    for turn, n in enumerate(parts):
        if turn == 1:  # a fork goes on; its parent writes into the block they share
            parent, cache = cache, cache.fork()
            parent.extend([7])
            for layer in range(layers):
                parent.write(layer, *(rng.normal(size=(1, h_kv, d_k)) for _ in range(2)))
        if turn == 2:
            away, copies = swap_out(cache.sequence, host)
            move_blocks(storage, beside, copies)
            cache = kind(storage, Sequence(pool, block_size))
            move_blocks(beside, storage, swap_in(away, cache.sequence, host))
        cache.extend([1] * n)
        new = rng.normal(size=(2, layers, n, h_kv, d_k)) * 10.0 ** rng.integers(-3, 4)
        K, V = (np.concatenate([a, b], axis=1) for a, b in zip((K, V), new, strict=True))
        for layer in range(layers):
            cache.write(layer, *new[:, layer])
        m = K.shape[1]
        Q = rng.normal(size=(n, h, d_k))
        for layer in range(layers):
            rows = [rounded(one[layer], bits) for one in (K, V)]
            np.testing.assert_allclose(
                cache.attend(layer, Q), attend_heads(Q, *rows, causal_mask(n, m)), rtol=1e-9
            )


def test_slots_never_written_would_be_seen_and_refused_rows_leave_nothing() -> None:
    storage = QuantisedStorage(3, 2, 2)
    assert np.isnan(storage.layer(0)[0][1]).all()
    cache = PagedCache(storage, Sequence(BlockPool(3), 2))
    cache.extend([1])
    with pytest.raises(ValueError, match="K is not finite in the row of new token 0"):
        cache.write(0, np.full((1, 1, 2), np.nan), np.ones((1, 1, 2)))
    assert cache.num_computed_tokens == 0
    with pytest.raises(ValueError, match="between storages of one kind"):
        move_blocks(PagedStorage(3, 2, 2), storage, [(1, 1)])
    with pytest.raises(ValueError, match="between storages of one kind"):
        move_blocks(PagedStorage(3, 2, 2), PagedStorage(3, 2, 2, dtype=np.float32), [(1, 1)])


def test_codes_and_scales_are_the_bytes_that_are_read() -> None:
    storage, work = QuantisedStorage(4, 4, 8, h_kv=2), Work()
    cache = PagedCache(storage, Sequence(BlockPool(4), 4))
    cache.extend([1, 2, 3, 4, 5])
    cache.write(0, np.ones((5, 2, 8)), np.ones((5, 2, 8)))
    cache.attend(0, np.ones((1, 2, 8)), work)
    assert work.kv_bytes_read == 8 * storage.bytes_per_token == 8 * 2 * 2 * (8 + 4)  # two blocks


TOY = LatentHeads(
    W_Q=np.eye(4).reshape(4, 2, 2).transpose(1, 0, 2),
    W_QR=np.array([[[1, 0], [0, 1], [0, 1], [0, 0]], [[1, 0], [0, 1], [0, 0], [0, 0]]], float),
    W_DKV=np.array([[1, 0], [0, 1], [1, 0], [0, 1]], float),
    W_KR=np.array([[0, 0], [0, 0], [1, 0], [0, 1]], float),
    W_UK=np.array([[[1, 1], [0, 1]], [[0, 2], [1, -1]]], float),
    W_UV=np.array([[[1, 0], [1, 1]], [[1, 1], [0, -1]]], float),
)
HIDDEN = np.array([[1, 0, 2, 1], [0, 1, 1, -1], [1, 1, 1, 0]], float)
PLACES = np.arange(3)


def test_absorbed_equals_naive_in_whole_numbers() -> None:
    rows = TOY.rows(HIDDEN, PLACES)
    assert rows[:, 0].tolist() == [[3, 1, 2, 1], [1, 0, 1, 1], [2, 1, -1, 0]]
    K, V = TOY.keys_and_values(rows)
    queries = TOY.queries(HIDDEN, PLACES)
    assert queries[2].tolist() == [[1, 1, -1, -2], [1, 0, -1, -1]]
    absorbed = TOY.absorbed(HIDDEN, PLACES)
    assert absorbed[2, :, :2].tolist() == [[2, 1], [0, 1]]
    naive = np.einsum("hk,mhk->hm", queries[2], K)
    short = absorbed[2] @ rows[:, 0].T
    assert naive.tolist() == short.tolist() == [[3, -1, 6], [-2, -2, 2]]
    out = attend_heads(queries[2:], K, V)
    assert out[0].round(4).tolist() == [[3.1298, 0.9759], [2.0, 1.1065]]
    assert rows.size == 3 * 4 and K.size + V.size == 3 * (8 + 4)


@given(st.integers(0, 10**6), st.tuples(*[st.integers(1, 4)] * 5), st.integers(1, 6))
def test_absorbed_scores_are_the_naive_ones_to_the_unit(
    seed: int, sizes: tuple[int, ...], n: int
) -> None:
    """Whole numbers, so that nothing is rounded: equal, not nearly so."""
    rng = np.random.default_rng(seed)
    d, h, d_h, d_c, half = sizes
    d_r = 2 * half
    shapes = ((h, d, d_h), (h, d, d_r), (d, d_c), (d, d_r), (h, d_c, d_h), (h, d_c, d_h))
    heads = LatentHeads(*(rng.integers(-9, 10, shape).astype(float) for shape in shapes))
    X, places = rng.integers(-9, 10, (n, d)).astype(float), np.arange(n)
    rows = heads.rows(X, places)
    K, V = heads.keys_and_values(rows)
    naive = np.einsum("nhk,mhk->hnm", heads.queries(X, places), K)
    short = np.einsum("nhc,mc->hnm", heads.absorbed(X, places), rows[:, 0])
    assert (naive == short).all()
    weights = rng.integers(0, 9, (n, h, n)).astype(float)  # any, not of a softmax
    mixed = np.einsum("nhm,mc->nhc", weights, rows[:, 0])
    assert (heads.outputs(mixed) == np.einsum("nhm,mhk->nhk", weights, V)).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6), st.integers(1, 6))
def test_latents_are_shared_copied_and_moved_as_rows_are(
    seed: int, size: int, n: int, more: int
) -> None:
    rng = np.random.default_rng(seed)
    pool, host = BlockPool(30), BlockPool(30)
    storage, away = LatentStorage(30, size, 3, layers=2), LatentStorage(30, size, 3, layers=2)
    assert storage.nbytes * 2 == PagedStorage(30, size, 3, layers=2).nbytes
    parent = PagedCache(storage, Sequence(pool, size))
    X = rng.normal(size=(2, n + more, 1, 3))

    def feed(cache: PagedCache, rows: Array) -> None:
        cache.extend([1] * rows.shape[1])
        for layer in range(2):
            cache.write(layer, rows[layer], rows[layer])

    feed(parent, X[:, :n])
    child = parent.fork()
    feed(parent, rng.normal(size=(2, 1, 1, 3)))  # into the block they share
    swapped, copies = swap_out(child.sequence, host)
    move_blocks(storage, away, copies)
    feed(parent, rng.normal(size=(2, size, 1, 3)))  # over what the child had
    child = PagedCache(storage, Sequence(pool, size))
    move_blocks(away, storage, swap_in(swapped, child.sequence, host))
    feed(child, X[:, n:])
    Q = rng.normal(size=(more, 2, 3))
    for layer in range(2):
        expected = attend_heads(Q, X[layer], X[layer], causal_mask(more, n + more))
        np.testing.assert_allclose(child.attend(layer, Q), expected, atol=1e-12)


def test_plain_positions_do_not_let_themselves_be_absorbed() -> None:
    """W_UKᵀ · R · W_Q depends on the distance: no one matrix could take W_UK's place."""
    products = []
    for distance in (0, 1):
        turned = quarter_turns(np.eye(2), np.array([distance] * 2)).T  # R, columns are turned
        products.append(TOY.W_UK[0] @ turned @ TOY.W_Q[0].T)
    assert products[0].tolist() == [[1, 1, 0, 0], [0, 1, 0, 0]]
    assert products[1].tolist() == [[1, -1, 0, 0], [1, 0, 0, 0]]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.tuples(*[st.integers(1, 4)] * 5),
    st.integers(1, 4),
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
)
def test_absorbed_over_pages_equals_naive(
    seed: int, sizes: tuple[int, ...], block_size: int, parts: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    d, h, d_h, d_c, half = sizes
    d_r = 2 * half
    shapes = ((h, d, d_h), (h, d, d_r), (d, d_c), (d, d_r), (h, d_c, d_h), (h, d_c, d_h))
    heads = LatentHeads(*(rng.normal(size=shape) for shape in shapes))
    pool = BlockPool(40)
    pool.get_new_blocks(int(rng.integers(0, 5)))
    cache = PagedCache(LatentStorage(40, block_size, d_c + d_r), Sequence(pool, block_size))
    X = rng.normal(size=(sum(parts), d))
    start = 0
    for n in parts:
        end, positions = start + n, np.arange(start, start + n)
        new = heads.rows(X[start:end], positions)
        cache.extend([1] * n)
        cache.write(0, new, new)
        work = Work()
        mixed = cache.attend(0, heads.rescaled(heads.absorbed(X[start:end], positions)), work)
        assert work.kv_bytes_read == -(-end // block_size) * block_size * (d_c + d_r) * 8
        K, V = heads.keys_and_values(heads.rows(X[:end], np.arange(end)))
        naive = attend_heads(heads.queries(X[start:end], positions), K, V, causal_mask(n, end))
        np.testing.assert_allclose(heads.outputs(mixed), naive, atol=1e-9)
        start = end


def test_a_latents_row_is_both() -> None:
    cache = PagedCache(LatentStorage(3, 2, 4), Sequence(BlockPool(3), 2))
    cache.extend([1])
    with pytest.raises(ValueError, match="give the same rows for both"):
        cache.write(0, np.ones((1, 1, 4)), np.zeros((1, 1, 4)))
    assert cache.num_computed_tokens == 0


def test_blocks_that_a_window_holds() -> None:
    assert [blocks_held(m, 4, 2) for m in range(1, 11)] == [1, 1, 2, 2, 2, 2, 2, 2, 2, 2]
    assert [blocks_held(32_768, w, 16) for w in (128, 1024, 4096)] == [8, 64, 256]
    # Four sinks: their block stays, however far the window has gone.
    assert [blocks_held(m, 4, 2, sinks=1) for m in range(1, 11)] == [1, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    for window, block_size in ((1, 1), (4, 2), (5, 3), (3, 4)):
        sequence = WindowedSequence(BlockPool(50), block_size, window=window)
        for m in range(1, 20):
            sequence.append_token(m)
            sequence.free_before(m - window + 1)  # what the next token does not see
            held = sum(block != NULL_BLOCK for block in sequence.block_table)
            assert blocks_held(m, window, block_size) == held
            for sinks in range(6):
                seen = {p // block_size for p in range(m) if p < sinks or p > m - window}
                assert blocks_held(m, window, block_size, sinks) == len(seen)
    for wrong in ((-1, 4, 2, 0), (1, 0, 2, 0), (1, 4, 0, 0), (1, 4, 2, -1)):
        with pytest.raises(ValueError, match="must"):
            blocks_held(*wrong)
