"""Guard zones around everything that a kernel reads or writes, in Triton's interpreter.

A number read beside an input is NaN, or 2³¹ − 1 in a table, and shows in the result; one written
beside an output is found afterwards. What a kernel leaves unwritten stays NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from triton.runtime.interpreter import InterpreterBuilder

from gpu.attention.launches import Launch
from gpu.attention.paged_triton import PagedTriton
from gpu.verification.cases import Case, make_case
from walkthrough.reference.paged_inputs import first_seen

GUARD = 64  # numbers on each side
DECODE = ([0, 1, 16, 17, 40], [1] * 5)
MIXED = ([33, 5, 17, 9], [1, 5, 3, 1])
PREFILL = ([1, 16, 33], [1, 16, 20])
BATCHES = (DECODE, MIXED, PREFILL)
LAUNCHES = (Launch(16, 4, 2), Launch(32, 4, 3, rows=16, dot=True))
# group, d_k, block size, dtype
SIZES = (
    (1, 16, 16, torch.float32),
    (1, 20, 5, torch.float16),
    (3, 16, 64, torch.float16),
    (5, 20, 1, torch.float32),
    (2, 32, 16, torch.float32),
)
CASES = list(product(SIZES, BATCHES, LAUNCHES, (1, 3), (None, 7)))
WATCHED = list(product(SIZES[1:4], (MIXED,), (None, 7)))


def filler(dtype: torch.dtype) -> float:
    return float("nan") if dtype.is_floating_point else 2**31 - 1


def guarded(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The same numbers between two guard zones, in the same order in memory; and all of it."""
    span = 1 + sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    whole = torch.full((span + 2 * GUARD,), filler(tensor.dtype), dtype=tensor.dtype)
    view = torch.as_strided(whole, tensor.shape, tensor.stride(), GUARD)
    return view.copy_(tensor), whole


class GuardedOutputs(TorchFunctionMode):
    """`torch.empty` and `empty_like` between guard zones, full of NaN."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[tuple[int, ...], torch.Tensor]] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        done = func(*args, **(kwargs or {}))
        if func not in (torch.empty, torch.empty_like):
            return done
        view, whole = guarded(done.fill_(float("nan")))
        self.made.append((tuple(done.shape), whole))
        return view


def guard(case: Case) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Put every input of the case between guard zones; each buffer, and what it holds."""
    batch, storage = case.batch, case.storage
    table = torch.full((len(batch.lengths), batch.block_table.shape[1] + 3), 2**31 - 1).int()
    table[:, :-3] = batch.block_table  # rows further apart than they are wide
    wholes = []

    def put(tensor: torch.Tensor) -> torch.Tensor:
        view, whole = guarded(tensor)
        wholes.append(whole)
        return view

    case.Q, storage.K, storage.V = put(case.Q), put(storage.K), put(storage.V)
    case.batch = replace(
        batch,
        query_start_loc=put(batch.query_start_loc),
        seq_lens=put(batch.seq_lens),
        block_table=put(table[:, :-3]),
    )
    for name in ("decode_rows", "prefill_rows"):
        if (rows := getattr(case.batch, name)) is not None:
            case.batch.__dict__[name] = put(rows)  # where the cached property keeps it
    return [(whole, whole.clone()) for whole in wholes]


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return (
        torch.equal(a.nan_to_num(9e9), b.nan_to_num(9e9))
        if a.is_floating_point()
        else (torch.equal(a, b))
    )


@pytest.mark.parametrize(("sizes", "batch", "launch", "splits", "window"), CASES)
def test_nothing_beside_is_read_or_written(
    sizes: tuple[int, int, int, torch.dtype],
    batch: tuple[list[int], list[int]],
    launch: Launch,
    splits: int,
    window: int | None,
) -> None:
    group, d_k, block_size, dtype = sizes
    lengths, query_lens = batch
    case = make_case(
        lengths,
        query_lens,
        h=2 * group,
        d_k=d_k,
        block_size=block_size,
        dtype=dtype,
        window=window,
    )
    assert case.reference is not None  # computed before anything is moved
    before = guard(case)
    backend = PagedTriton(decode=launch, prefill=launch, splits=splits)
    with GuardedOutputs() as outputs:
        assert case.agrees(backend), "NaN was read, or something is unwritten"
    for whole, kept in before:
        assert same(whole, kept), "an input was written to"
    for _, whole in outputs.made:
        assert whole[:GUARD].isnan().all(), "written before an output"
        assert whole[-GUARD:].isnan().all(), "written behind an output"
    rows = query_lens.count(1)
    parts = [shape for shape, _ in outputs.made if shape[-1] == d_k][1::2]
    assert set(parts) == ({(splits * rows, 2 * group, d_k)} if splits > 1 and rows else set())


def test_a_mixed_batch_keeps_parts_for_the_rows_that_decode_alone() -> None:
    """Llama-3 8B, 2,048 tokens of a prompt and one decode row, 33 splits: 0.5 MiB, not 1 GiB."""
    case = make_case([300, 60], [1, 60], h=4, d_k=16)
    with GuardedOutputs() as outputs:
        assert case.agrees(PagedTriton(splits=33))
    assert [shape for shape, _ in outputs.made[2:4]] == [(33, 4, 16), (33, 4)]


@pytest.mark.parametrize(("sizes", "batch", "window"), WATCHED)
def test_no_entry_of_the_table_is_read_that_holds_no_key_to_be_seen(
    sizes: tuple[int, int, int, torch.dtype],
    batch: tuple[list[int], list[int]],
    window: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An entry behind `seq_lens` read without a mask shows in no number: the load is looked at."""
    group, d_k, block_size, dtype = sizes
    lengths, query_lens = batch
    case = make_case(
        lengths, query_lens, h=2 * group, d_k=d_k, block_size=block_size, dtype=dtype, window=window
    )
    guard(case)
    table = case.batch.block_table
    read: set[int] = set()
    load = InterpreterBuilder.create_masked_load

    def watched(self: Any, ptrs: Any, mask: Any, *rest: Any) -> Any:
        index = (ptrs.data[mask.data].astype("int64") - table.data_ptr()) // 4
        read.update(index[(index >= -GUARD) & (index < table.stride(0) * len(table))].tolist())
        return load(self, ptrs, mask, *rest)

    monkeypatch.setattr(InterpreterBuilder, "create_masked_load", watched)
    assert case.agrees(PagedTriton(decode=LAUNCHES[1], prefill=LAUNCHES[1], splits=3))
    seen = {
        i * table.stride(0) + position // block_size
        for i, (length, n) in enumerate(zip(lengths, query_lens, strict=True))
        for position in range(first_seen(n, length, window), length)
    }
    assert read == seen
