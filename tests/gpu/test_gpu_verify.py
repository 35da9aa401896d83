"""verify: it agrees where both sides are right, and says where one is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from gpu import memory
from gpu.batch import Batch, make_batch
from gpu.storage import Slots
from gpu.verification.compare import Worst, worst_output
from gpu.verification.faults import FAULTS
from gpu.verification.ranks import HeadsError, Ranks
from gpu.verification.sides import TorchSide, sampled
from gpu.verification.verify import (
    VerifyOptions,
    _Check,
    fitting_layers,
    require_memory,
    verify,
    verify_bytes,
)
from gpu.verification.workload import PHASES, ScheduleError, happens, make_plan
from walkthrough.reference.cost import Geometry

# d_k as in real models: the tolerances are for vectors of such a length.
SMALL = Geometry(2, 6, 2, 64, 384, 128, "for this test")


def options(fault: str | None = None, dtype: str = "float32", *backends: str) -> VerifyOptions:
    names = backends or ("gather",)
    return VerifyOptions(torch.device("cpu"), SMALL, 64, 3, dtype, 8, names, 2, 0, fault)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_both_sides_agree(dtype: str) -> None:
    report = verify(options(None, dtype))
    assert report.mismatches == []
    assert {phase for _, phase in report.cells} == set(PHASES)
    assert all(cell.compared and not cell.failed for cell in report.cells.values())
    assert report.stored > 10_000
    assert report.steps == sum(1 for _ in report.plan.steps())
    assert all(cell.lse_error is not None for cell in report.cells.values())


def test_triton_agrees_over_the_whole_schedule() -> None:
    one_kv_head = replace(SMALL, layers=1, h=2, h_kv=1)
    asked = replace(options(None, "float32", "triton"), geometry=one_kv_head, layers=1)
    assert verify(asked).mismatches == []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("backend", ["gather", "flex"])
def test_every_fault_is_caught_and_named(fault: str, backend: str) -> None:
    report = verify(options(fault, "float32", backend))
    found = report.mismatches
    assert found
    worst = {True: "failed", False: "agreed"}
    for (_, phase), cell in report.cells.items():
        differs = any(one.phase == phase and one.what not in "KV" for one in found)
        assert worst[cell.failed] == worst[differs]
    first = found[0]
    assert first.what == {"stale-copy": "K"}.get(fault, "output")
    assert 0 <= first.layer < 2
    assert first.sequence == {"stale-copy": "fork"}.get(fault, "s0")
    assert 0 <= first.head < 6
    assert 0 <= first.position < 64
    assert first.error > first.tolerance
    assert {mismatch.layer for mismatch in found} == {0, 1}


@pytest.mark.parametrize(
    ("tokens", "batch", "block_size"), [(64, 2, 8), (256, 5, 16), (1024, 3, 64), (4096, 4, 256)]
)
def test_everything_happens_in_a_plan(tokens: int, batch: int, block_size: int) -> None:
    plan = make_plan(tokens, batch, block_size)
    assert all(happens(plan).values())
    longest = max(len(f.sequence) for work in plan.steps() for f in work.feed)
    assert tokens - 2 * block_size < longest <= tokens
    forked = [
        (f.n, len(f.sequence)) for work in plan.steps() for f in work.feed if f.name == "fork"
    ]
    assert [n for n, _ in forked] == [1] * len(forked)
    assert [length - forked[0][1] for _, length in forked] == list(range(len(forked)))


@pytest.mark.parametrize(("tokens", "batch", "block_size"), [(40, 3, 16), (300, 1, 16), (99, 3, 1)])
def test_sizes_without_such_a_schedule(tokens: int, batch: int, block_size: int) -> None:
    with pytest.raises(ScheduleError):
        make_plan(tokens, batch, block_size)


def test_full_takes_the_layers_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(options(), layers=2)
    one = sum(verify_bytes(replace(asked, layers=1)))
    for free, layers in ((one, 1), (2 * one, 1), (one * 5 // 2, 2), (100 * one, 2)):
        monkeypatch.setattr(memory, "free_bytes", lambda device, free=free: free)
        assert fitting_layers(asked) == layers


def test_the_pools_have_to_fit_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU torch's; beside it NumPy's, and torch's pool to swap to, in the computer's own."""
    asked = replace(options(), device=torch.device("cuda"), layers=2)
    of_torch, of_numpy = verify_bytes(asked)
    needed: list[tuple[str, int]] = []
    monkeypatch.setattr(memory, "require", lambda n, device: needed.append((device.type, n)))
    require_memory(asked)
    assert needed == [("cuda", of_torch), ("cpu", of_torch + of_numpy)]
    needed.clear()
    require_memory(replace(asked, device=torch.device("cpu")))
    assert needed == [("cpu", of_torch + of_numpy)]

    for of_gpu, layers in ((of_torch, 1), (of_torch * 5 // 4 + 5, 2), (None, 2)):
        free = {"cuda": of_gpu, "cpu": None}
        monkeypatch.setattr(memory, "free_bytes", lambda device, free=free: free[device.type])
        assert fitting_layers(asked) == layers


def test_progress_ends_with_the_last_layer_of_the_last_step() -> None:
    told: list[tuple[int, int]] = []
    report = verify(options(), lambda done, total: told.append((done, total)))
    assert told == [(i + 1, 2 * report.steps) for i in range(2 * report.steps)]


def test_what_differs_first_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two numbers of K go wrong on the way to the pool: the place of the first is told."""
    write = TorchSide.write

    def wrong(self: TorchSide, layer: int, slots: Slots, K: torch.Tensor, V: torch.Tensor) -> None:
        if len(K) > 4:
            K = K.clone()
            K[2, 1, 7] += 1
            K[4, 0, 3] += 2
        write(self, layer, slots, K, V)

    monkeypatch.setattr(TorchSide, "write", wrong)
    first = verify(options()).mismatches[0]
    assert (first.what, first.layer, first.sequence, first.head) == ("K", 0, "s0", 1)
    assert (first.position, first.error) == (2, pytest.approx(2))


def test_rows_are_sampled_from_the_first_to_the_last() -> None:
    for n in (1, 2, 7, 100, 999):
        rows = sampled(n, 7)
        assert rows[0] == 0 and rows[-1] == n - 1
        assert len(rows) == min(n, 7)
    assert sampled(5, 7) == [0, 1, 2, 3, 4]


def test_heads_of_a_rank() -> None:
    assert Ranks().heads(6) == slice(0, 6)
    assert [Ranks(rank, 3).heads(6) for rank in range(3)] == [slice(0, 2), slice(2, 4), slice(4, 6)]
    with pytest.raises(HeadsError, match="6 K/V heads do not split evenly over 4 ranks"):
        Ranks(0, 4).heads(6)


def test_a_rank_has_a_device_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    cpu, cuda = torch.device("cpu"), torch.device("cuda")
    assert Ranks(3, 4).device(cuda) == torch.device("cuda", 1)
    assert Ranks(3, 4).device(cpu) == cpu
    assert Ranks().device(cuda) == cuda  # alone: the one asked for


def test_a_length_that_is_wrong_on_the_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of three sequences is told to be shorter than it is; its table is right."""

    def wrong(feed: Any, device: torch.device) -> Batch:
        batch = make_batch(feed, device)
        batch.seq_lens[-1] -= int(len(feed) == 3)
        return batch

    monkeypatch.setattr(f"{verify.__module__}.make_batch", wrong)
    first = verify(options()).mismatches[0]
    assert (first.what, first.error) == ("table", float("inf"))


def test_at_the_end_all_blocks_are_looked_at_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Damage to a block that nobody reads any more."""
    everything = _Check.everything

    def damaged(self: _Check) -> None:
        self.torch.storage.V[1, 0, 0, 1] = 5  # of the null block, which holds NaN on both sides
        everything(self)

    monkeypatch.setattr(_Check, "everything", damaged)
    (found,) = verify(options()).mismatches
    assert (found.what, found.layer, found.head) == ("V", 1, 1)


def test_a_sequence_without_new_tokens_is_passed_over() -> None:
    reference = np.ones((3, 2, 4))
    out = reference.copy()
    out[2, 1] *= 1.5
    assert worst_output(out, reference, [0, 0, 1, 1, 3]) == Worst(
        pytest.approx(0.5 / 2**0.5), 3, 1, 1
    )
