"""K and V in 8 bits: codes and scales as NumPy has them, and attention as near as they allow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.attention import BACKENDS, EIGHT_BITS, make_backend, why_not
from gpu.attention.inputs import check_inputs
from gpu.attention.launches import Launch
from gpu.attention.paged_triton import PagedTriton
from gpu.batch import from_table
from gpu.cache import PagedCache
from gpu.smaller.quantised import QuantisedStorage, RoundedRows, numbers, rounded
from gpu.storage import PagedStorage, move_blocks
from gpu.verification.cases import Case, make_case
from gpu.verification.compare import TOLERANCES
from gpu.verification.sides import to_numpy
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.smaller.quantised import QuantisedStorage as NumpyStorage
from walkthrough.reference.smaller.rounding import FLOAT8, quantised
from walkthrough.reference.work import Array

INT8, E4M3 = torch.int8, torch.float8_e4m3fn
CODES = (INT8, E4M3)
# group, d_k, block size, window, layout, dtype
SIZES: tuple[tuple[int, int, int, int | None, Any, torch.dtype], ...] = (
    (1, 64, 16, None, "HND", torch.float32),
    (1, 20, 5, 7, "NHD", torch.float16),
    (4, 59, 24, 7, "HND", torch.float16),
    (5, 16, 1, None, "NHD", torch.float32),
)
RAGGED = ([0, 1, 15, 33, 100], [0, 1, 1, 5, 1])
ALONE = ([1, 15, 33, 100], [1, 1, 1, 1])
# How far a number in 16 bits may be off, relative: values are read in the dtype of the queries.
UNIT = {torch.float32: 2**-24, torch.float16: 2**-11}


def case_of(sizes: Any, batch: Any, codes: torch.dtype, seed: int = 0) -> Case:
    group, d_k, block_size, window, layout, dtype = sizes
    lengths, query_lens = batch
    return make_case(
        lengths,
        query_lens,
        h=2 * group,
        d_k=d_k,
        block_size=block_size,
        window=window,
        layout=layout,
        dtype=dtype,
        codes=codes,
        seed=seed,
    )


def off(x: Array, codes: torch.dtype, unit: float) -> Array:
    """How far each number of rows (m, h_kv, d_k) may be from what is read: from scales alone."""
    scale = np.abs(x).max(-1, keepdims=True) / (127 if codes == INT8 else 448)
    # FP8: half of the last of three bits, or half of the smallest step, 2^-9.
    near = np.maximum(np.abs(x) * 2**-4, scale * 2**-10)
    step = scale / 2 if codes == INT8 else near
    # The scale itself is rounded to float32, and the product to the dtype.
    return np.asarray(step * (1 + 2**-20) + (np.abs(x) + step) * (unit + 2**-22))


def bounds(case: Case, codes: torch.dtype) -> tuple[Array, Array]:
    """What attention over the rows as given is, and how far one over codes may be from it.

    A score moves by at most e = max |q|·|ΔK| / √d_k, so a weight changes by a factor within
    e^±2e, and what is added up by (e^2e − 1)·Σ p·|v − o|; each v itself by |ΔV| at most.
    """
    exact = Case(case.Q, case.storage, case.batch, case.given, case.given)
    wanted, bound = exact.reference[0], np.zeros(case.Q.shape)
    q = np.abs(to_numpy(case.Q).astype(np.float64))
    unit, h = UNIT[case.Q.dtype], case.Q.shape[1]
    for i, pair in enumerate(case.given):
        K, V = (to_numpy(x).astype(np.float64) for x in pair)  # (m, h_kv, d_k)
        n, m = case.batch.query_lens[i], case.batch.lengths[i]
        first = 0 if case.batch.window is None else case.batch.window
        for row in range(n):
            end = m - n + row + 1
            seen = slice(max(0, end - first) if first else 0, end)
            at = case.batch.starts[i] + row
            for head in range(h):
                j = head // (h // K.shape[1])
                k, v = K[seen, j], V[seen, j]
                query, o = to_numpy(case.Q[at, head]).astype(np.float64), wanted[at, head]
                scores = k @ query / np.sqrt(len(query))
                p = np.exp(scores - scores.max())
                p /= p.sum()
                moved = (off(K[:, j : j + 1], codes, unit)[seen, 0] @ q[at, head]).max()
                factor = np.expm1(2 * moved / np.sqrt(len(query)))
                dv = off(V[:, j : j + 1], codes, unit)[seen, 0]
                bound[at, head] = factor * (p @ np.abs(v - o)) + (1 + factor) * (p @ dv)
    return wanted, bound


@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", ["gather", "triton"])
def test_no_further_from_the_exact_rows_than_the_scales_say(
    name: str, sizes: Any, codes: torch.dtype
) -> None:
    case = case_of(sizes, RAGGED, codes)
    wanted, bound = bounds(case, codes)
    out = to_numpy(case.attend(make_backend(name))[0]).astype(np.float64)
    arithmetic = TOLERANCES[str(case.Q.dtype).removeprefix("torch.")]
    assert (
        np.abs(out - wanted) <= bound + arithmetic * (np.abs(wanted) + bound).max(-1)[..., None]
    ).all()
    assert np.abs(out - wanted).max() > 0.02 * bound.max(), "the bound is no empty one"


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 2**31),
    codes=st.sampled_from(CODES),
    sizes=st.sampled_from(SIZES),
    length=st.integers(1, 70),
)
def test_the_bound_holds_for_any_rows(
    seed: int, codes: torch.dtype, sizes: Any, length: int
) -> None:
    case = case_of(sizes, ([length], [1]), codes, seed)
    wanted, bound = bounds(case, codes)
    out = to_numpy(case.attend(make_backend("gather"))[0]).astype(np.float64)
    arithmetic = TOLERANCES[str(case.Q.dtype).removeprefix("torch.")]
    room = arithmetic * (np.abs(wanted) + bound).max(-1)[..., None]
    assert (np.abs(out - wanted) <= bound + room).all()


@pytest.mark.parametrize("codes", CODES)
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("launch", [Launch(16, 4, 2), Launch(32, 4, 3, dot=True)])
@pytest.mark.parametrize("splits", [1, 3])
def test_the_decode_kernel_reads_the_codes_as_numbers(
    sizes: Any, codes: torch.dtype, launch: Launch, splits: int
) -> None:
    case = case_of(sizes, ALONE, codes)
    worst, log_sum = case.errors(PagedTriton(decode=launch, splits=splits))
    # Values are rounded to 16 bits once more where the queries are.
    room = TOLERANCES[str(case.Q.dtype).removeprefix("torch.")] + UNIT[case.Q.dtype]
    assert worst.error <= room
    assert log_sum is not None and log_sum.error <= 5e-6


@pytest.mark.slow
@pytest.mark.parametrize("codes", CODES)
def test_compiled_reads_the_codes_as_numbers(codes: torch.dtype) -> None:
    assert case_of(SIZES[2], ALONE, codes).agrees(make_backend("compiled"))


def test_every_byte_of_e4m3_is_read_as_torch_reads_it() -> None:
    """One key of each code: attention over a single key is its value."""
    every = torch.arange(256, dtype=torch.uint8).view(E4M3).reshape(16, 1, 1, 16)
    every = torch.where(every.float().isnan(), 0.0, every.float()).to(E4M3)
    pool = RoundedRows(every, torch.full((16, 1, 1), 0.25), torch.float32)
    table = torch.arange(1, 16, dtype=torch.int32)[:, None]
    batch = from_table(table, [1] * 15, [1] * 15)
    for name in ("gather", "triton"):
        out, _ = make_backend(name).attend(torch.ones(15, 1, 16), pool, pool, batch)
        assert torch.equal(out[:, 0], every[1:, 0, 0].float() / 4), name


@given(seed=st.integers(0, 2**31), power=st.integers(-150, 100), zero=st.booleans())
def test_codes_and_scales_are_numpys_to_the_bit(seed: int, power: int, zero: bool) -> None:
    rows = np.random.default_rng(seed).standard_normal((5, 2, 16)).astype(np.float32)
    rows = np.ldexp(rows, power).astype(np.float32)
    if zero:
        rows[2] = 0
    codes, scales = rounded(torch.from_numpy(rows), INT8)
    wanted = quantised(rows, 8, -1, np.float32)
    assert np.array_equal(codes.numpy(), wanted.codes)
    assert np.array_equal(scales.numpy(), wanted.scales[..., 0])
    assert np.array_equal(numbers(codes, scales, torch.float32).numpy(), wanted.values)


@given(seed=st.integers(0, 2**31), power=st.integers(-100, 100))
def test_e4m3_codes_are_the_nearest_as_numpys(seed: int, power: int) -> None:
    rows = np.ldexp(np.random.default_rng(seed).standard_normal((5, 16)), power).astype(np.float32)
    codes, scales = rounded(torch.from_numpy(rows), E4M3)
    wanted = FLOAT8["e4m3"].rounded(rows / scales.numpy()[:, None])
    assert np.array_equal(codes.float().numpy(), wanted)
    assert (np.abs(wanted).max(-1) == 448).all(), "each row uses all of the range"


def test_the_storage_is_numpys_to_the_bit_through_the_same_tables() -> None:
    rng = np.random.default_rng(0)
    pool = BlockPool(9)
    sequence = Sequence(pool, 4)
    torch_side = QuantisedStorage(9, 4, 16, layers=2, h_kv=2)
    numpy_side = NumpyStorage(9, 4, 16, layers=2, h_kv=2, dtype=np.float32)
    cache = PagedCache(torch_side, sequence)
    cache.extend([1, 2, 3, 4, 5, 6])
    slots = sequence.slot_mapping(0)
    for layer in range(2):
        K, V = rng.standard_normal((2, 6, 2, 16)).astype(np.float32)
        cache.write(layer, torch.from_numpy(K), torch.from_numpy(V))
        numpy_side.write(layer, slots, K, V)
    torch_side.copy_blocks([(sequence.block_table[1], 7)])
    numpy_side.copy_blocks([(sequence.block_table[1], 7)])
    for mine, theirs in ((torch_side.K, numpy_side.K), (torch_side.V, numpy_side.V)):
        assert np.array_equal(mine.codes.numpy(), theirs.codes)
        assert np.array_equal(mine.scales.numpy(), theirs.scales[..., 0], equal_nan=True)
    assert torch_side.nbytes == numpy_side.nbytes
    assert cache.attend(1, torch.ones(6, 4, 16)).isfinite().all()


def test_blocks_move_between_storages_of_one_kind_alone() -> None:
    of_int8, plain = QuantisedStorage(4, 4, 16), PagedStorage(4, 4, 16)
    of_int8.write(0, [4, 5], torch.ones(2, 1, 16), torch.ones(2, 1, 16) * 3)
    other = QuantisedStorage(4, 4, 16)
    move_blocks(of_int8, other, [(1, 2)])
    assert numbers(other.V.codes, other.V.scales, torch.float32)[0, 2, :2].allclose(
        torch.tensor(3.0)
    )
    with pytest.raises(ValueError, match="no block can be copied"):
        move_blocks(of_int8, plain, [(1, 2)])
    with pytest.raises(ValueError, match="no block can be copied"):
        move_blocks(of_int8, QuantisedStorage(4, 4, 16, codes=E4M3), [(1, 2)])


def test_what_does_not_fit_is_said() -> None:
    case = make_case([9], [1], codes=INT8)
    K, V, Q, batch = case.storage.K[0], case.storage.V[0], case.Q, case.batch
    assert isinstance(K, RoundedRows) and isinstance(V, RoundedRows)

    def refused(match: str, K: Any = K, V: Any = V, Q: torch.Tensor = Q) -> None:
        with pytest.raises(ValueError, match=match):
            check_inputs(Q, K, V, batch)

    refused("both be kept in 8 bits", V=torch.zeros(K.shape))
    refused("codes of torch.int16 are not known", K=RoundedRows(K.codes.short(), K.scales, K.dtype))
    refused("scales of V are torch.float64", V=RoundedRows(V.codes, V.scales.double(), V.dtype))
    refused("scales of K are torch.float32", K=RoundedRows(K.codes, K.scales[:1], K.dtype))
    refused("one is needed", V=RoundedRows(V.codes.to(E4M3), V.scales, V.dtype))
    refused("one device is needed", K=RoundedRows(K.codes, K.scales.to("meta"), K.dtype))
    refused("one floating-point dtype is needed", Q=Q.half())
    with pytest.raises(ValueError, match=r"codes of torch.float8_e5m2 are not known"):
        QuantisedStorage(4, 4, 16, codes=torch.float8_e5m2)
    with pytest.raises(ValueError, match=r"rows of torch.int8 cannot be rounded"):
        QuantisedStorage(4, 4, 16, dtype=INT8)
    with pytest.raises(ValueError, match="num_blocks must be at least 1"):
        QuantisedStorage(0, 4, 16)


def test_backends_that_read_no_codes_say_so() -> None:
    case = make_case([9], [1], codes=INT8)
    for name in BACKENDS:
        reason = why_not(name, torch.device("cpu"), torch.float32, 256, INT8)
        assert (reason == "codes") == (name not in EIGHT_BITS)
        if reason == "codes":
            with pytest.raises(ValueError, match="reads no K and V in 8 bits"):
                case.attend(make_backend(name))
