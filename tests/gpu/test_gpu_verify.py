"""verify: it agrees where both sides are right, and says where one is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from gpu import memory
from gpu.verification.compare import Worst, worst_output
from gpu.verification.faults import FAULTS
from gpu.verification.verify import VerifyOptions, fitting_layers, verify, verify_bytes
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


def test_triton_agrees_over_the_whole_schedule() -> None:
    one_kv_head = replace(SMALL, layers=1, h=2, h_kv=1)
    asked = replace(options(None, "float32", "triton"), geometry=one_kv_head, layers=1)
    assert verify(asked).mismatches == []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("backend", ["gather", "flex"])
def test_every_fault_is_caught_and_named(fault: str, backend: str) -> None:
    found = verify(options(fault, "float32", backend)).mismatches
    assert found
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


def test_a_sequence_without_new_tokens_is_passed_over() -> None:
    reference = np.ones((3, 2, 4))
    out = reference.copy()
    out[2, 1] *= 1.5
    assert worst_output(out, reference, [0, 0, 1, 1, 3]) == Worst(
        pytest.approx(0.5 / 2**0.5), 3, 1, 1
    )
