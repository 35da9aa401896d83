"""Every backend against float64: ragged, grouped, scattered, with NaN where nothing is stored."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.attention import BACKENDS, compiled, make_backend, why_not
from gpu.attention.gather import Gather
from gpu.attention.launches import Launch
from gpu.attention.paged_triton import PagedTriton, num_splits
from gpu.cache import PagedCache
from gpu.storage import PagedStorage
from gpu.verification.cases import make_case
from gpu.verification.compare import worst_output
from gpu.verification.sides import to_numpy
from walkthrough.document.example import Example
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.attention import project

DECODE = [0, 1, 15, 16, 17, 64, 100]
PREFILL = ([1, 15, 16, 17, 64, 100], [1, 15, 3, 17, 64, 20])
HERE = [  # `varlen` is CUDA's
    pytest.param(name, marks=pytest.mark.slow if name == "compiled" else ())
    for name in BACKENDS
    if name != "varlen"
]

# group, d_k, block size, dtype: each pair of neighbouring columns at least once
SHAPES = [
    (1, 59, 16, torch.float32),
    (2, 64, 24, torch.float16),
    (5, 80, 1, torch.float32),
    (7, 96, 256, torch.float16),
    (48, 128, 16, torch.float32),
    (1, 128, 1, torch.float16),
]


@pytest.mark.parametrize(
    ("name", "group", "d_k", "block_size", "dtype"),
    [
        pytest.param(
            *(name, *shape),
            marks=pytest.mark.slow if name == "triton" and i not in (0, 2) else (),
            id=f"{name}-{'-'.join(map(str, shape[:3]))}-dtype{i}",
        )
        for name in ("gather", "triton", "flex")
        for i, shape in enumerate(SHAPES)
    ],
)
def test_decode_and_prefill(
    name: str, group: int, d_k: int, block_size: int, dtype: torch.dtype
) -> None:
    sizes = {"h": group, "h_kv": 1, "d_k": d_k, "block_size": block_size, "dtype": dtype}
    assert make_case(DECODE, [1] * 7, **sizes).agrees(make_backend(name))  # type: ignore[arg-type]
    assert make_case(*PREFILL, **sizes).agrees(make_backend(name))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["gather", "flex", pytest.param("compiled", marks=pytest.mark.slow)]
)
def test_bfloat16(name: str) -> None:
    sizes = {"h": 4, "h_kv": 2, "d_k": 32, "dtype": torch.bfloat16}
    assert make_case(DECODE, [1] * 7, **sizes).agrees(make_backend(name))  # type: ignore[arg-type]
    assert make_case(*PREFILL, **sizes).agrees(make_backend(name))  # type: ignore[arg-type]


@given(
    lengths=st.lists(st.integers(0, 70), min_size=1, max_size=4),
    group=st.sampled_from([1, 2, 3]),
    block_size=st.sampled_from([1, 2, 7, 16]),
    window=st.one_of(st.none(), st.integers(1, 40)),
    seed=st.integers(0, 99),
    chunk=st.integers(1, 30),
)
@settings(max_examples=60, deadline=None)
def test_gather_over_any_batch(
    lengths: list[int], group: int, block_size: int, window: int | None, seed: int, chunk: int
) -> None:
    query_lens = [max(1, min(chunk, length)) for length in lengths]
    case = make_case(
        lengths,
        query_lens,
        h=2 * group,
        d_k=16,
        block_size=block_size,
        window=window,
        seed=seed,
    )
    assert case.agrees(Gather())


@given(
    lengths=st.lists(st.integers(0, 70), min_size=1, max_size=4),
    group=st.sampled_from([1, 3]),
    block_size=st.sampled_from([1, 7, 16]),
    window=st.one_of(st.none(), st.integers(1, 40)),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None)
def test_what_is_compiled_is_right_before_it_is_compiled(
    lengths: list[int], group: int, block_size: int, window: int | None, seed: int
) -> None:
    case = make_case(
        lengths,
        [1] * len(lengths),
        h=2 * group,
        d_k=16,
        block_size=block_size,
        window=window,
        seed=seed,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "compiled_decode", lambda: compiled.compiled_attention)
        assert case.agrees(make_backend("compiled"))


@pytest.mark.slow
def test_compiled_for_one_sequence_and_for_several_of_any_length() -> None:
    backend = make_backend("compiled")
    for lengths, query_lens in ((DECODE, [1] * 7), PREFILL, ([130], [1]), ([70, 5], [1, 1])):
        assert make_case(lengths, query_lens, h=4, d_k=32, seed=len(lengths)).agrees(backend)


@pytest.mark.parametrize("splits", [2, 9])
@pytest.mark.parametrize("tile", [32, 128])
def test_triton_splits_more_than_there_are_tiles(splits: int, tile: int) -> None:
    backend = PagedTriton(decode=Launch(tile, 4, 2, dot=splits == 9), splits=splits)
    assert make_case([0, 1, 64, 100], [1] * 4, d_k=32, block_size=8).agrees(backend)


def test_splits_fill_the_device_and_never_get_short() -> None:
    def splits(lengths: list[int], h_kv: int) -> int:
        return num_splits(range(len(lengths)), lengths, h_kv, torch.device("cpu"))

    assert splits([100], 1) == 1
    assert splits([4096], 1) == 4
    assert splits([4096], 8) == 1


@pytest.mark.parametrize("window", [1, 7, 40])
def test_triton_windows(window: int) -> None:
    backend = PagedTriton(splits=2)
    assert make_case([1, 17, 100], [1] * 3, d_k=16, window=window).agrees(backend)
    assert make_case([1, 17, 100], [1, 3, 70], d_k=16, window=window, block_size=5).agrees(backend)


@pytest.mark.parametrize("name", HERE)
def test_windows_over_blocks_that_were_given_back(name: str) -> None:
    case = make_case([50, 33], [1, 1], h=4, d_k=32, window=9)
    case.batch.block_table[0, :2] = 0  # the null block, full of NaN
    assert case.agrees(make_backend(name))


@pytest.mark.parametrize("name", [name for name in HERE if name.values != ("flex",)])
def test_where_the_blocks_lie_changes_no_bit(name: str) -> None:
    outs = [
        make_case([40, 33], [1, 5], h=4, d_k=32, order=order).attend(make_backend(name))[0]
        for order in (1, 2)
    ]
    assert torch.equal(outs[0], outs[1])


@pytest.mark.parametrize("layout", ["HND", "NHD"])
@pytest.mark.parametrize("name", ["gather", "triton"])
def test_both_layouts(name: str, layout: str) -> None:
    case = make_case([33, 20], [1, 9], h=4, d_k=32, layout=layout)  # type: ignore[arg-type]
    assert case.agrees(make_backend(name))


@pytest.mark.parametrize("name", HERE)
@pytest.mark.parametrize("needle", [599, 15, 16, 255, 256, 0])
def test_a_needle_at_an_edge_is_found(name: str, needle: int) -> None:
    """One key has nearly all of the weight: in the last slot, at the edge of a block or split."""
    backend = PagedTriton(splits=3) if name == "triton" else make_backend(name)
    case = make_case([600], [1], d_k=32, needle=needle)
    assert case.agrees(backend)
    gap = case.reference[0][0] - to_numpy(case.rows[0][1][needle])  # (h, d_k)
    assert abs(gap).max() < 0.1, "the needle dominates"


@pytest.mark.parametrize("fault", ["last", "block", "double"])
def test_the_tolerances_notice_one_wrong_token_of_4096(fault: str) -> None:
    case = make_case([4096], [1], dtype=torch.bfloat16)
    wanted, _ = case.reference
    batch = case.batch
    if fault == "last":
        case.batch = replace(batch, lengths=(4095,), seq_lens=batch.seq_lens - 1)
    else:
        index, other = (255, 7) if fault == "block" else (0, 1)
        batch.block_table[0, index] = batch.block_table[0, other]
    out, _ = case.attend(Gather())
    assert worst_output(to_numpy(out), wanted, [0, 1]).error > 3.5e-3


@pytest.mark.parametrize("name", HERE)
def test_the_documents_example(name: str, ex: Example) -> None:
    tokens = [*ex.prompt, "간다"]
    X = ex.embed(tokens)
    Q, K, V = (
        torch.from_numpy(project(X, W).transpose(1, 0, 2).copy()).float()
        for W in (ex.W_Q, ex.W_K, ex.W_V)
    )  # (3, 2, 2)
    pool = BlockPool(5)
    storage = PagedStorage(5, 2, 2, h_kv=2)
    cache = PagedCache(storage, Sequence(pool, 2), make_backend(name))
    ids = ex.ids(tokens)
    for part in (slice(0, 2), slice(2, 3)):
        cache.extend(ids[part])
        cache.write(0, K[part], V[part])
        out = cache.attend(0, Q[part])
    assert [f"{number:.4f}" for number in out[0, 0].tolist()] == ["1.4011", "1.8022"]


def test_why_a_backend_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    cpu = torch.device("cpu")
    assert why_not("gather", cpu, torch.bfloat16, 1) is None
    assert why_not("flex", cpu, torch.float32, 16) is None
    assert why_not("varlen", cpu, torch.float16, 256) == "cuda"
    assert why_not("varlen", torch.device("cuda"), torch.float16, 256) is None
    assert why_not("varlen", torch.device("cuda"), torch.float16, 16) == "page"
    assert why_not("varlen", torch.device("cuda"), torch.float32, 256) == "wide"
    assert why_not("triton", cpu, torch.bfloat16, 16) == "interpreter"
    assert why_not("compiled", cpu, torch.float32, 16) is None
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert why_not("compiled", cpu, torch.float32, 16) == "compiler"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert why_not("triton", cpu, torch.float32, 16) == "no_triton"
    assert why_not("varlen", torch.device("cuda"), torch.float16, 256) == "old_torch"
    with pytest.raises(ValueError, match="gather, compiled, triton"):
        make_backend("mine")


@pytest.mark.parametrize("name", ["gather", "compiled", "triton"])
def test_offsets_past_two_to_the_31(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that begins beyond 2³¹ numbers; the memory before it is never touched."""
    monkeypatch.setattr(compiled, "compiled_decode", lambda: compiled.compiled_attention)
    case = make_case([20, 9], [1, 3], h=2, h_kv=1, dtype=torch.float16)
    small = case.storage.K[0]  # (blocks, 16, 1, 64)
    far = 2**31 // small[0].numel() + 5
    pool = torch.empty((far + len(small), *small.shape[1:]), dtype=torch.float16)  # 4 GiB, unused
    pool[far:] = small
    pool[:1] = float("nan")
    used = torch.arange(2)[None] * 16 < case.batch.seq_lens[:, None]
    table = torch.where(used, case.batch.block_table + far, 2**31 - 1).int()
    case.rows = [(K, K) for K, _ in case.rows]
    case.batch = replace(case.batch, block_table=table)
    out, _ = make_backend(name).attend(case.Q, pool, pool, case.batch)
    assert worst_output(to_numpy(out), case.reference[0], case.batch.starts).error < 5e-4
