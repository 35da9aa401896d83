"""bench: every row is there and its figures fit together; how fast is not a test."""

from __future__ import annotations

import pytest
import torch

from gpu import bench, memory, timing
from gpu.timing import copies_past_the_cache, time_in_turn
from walkthrough.reference.cost import Geometry

SMALL = Geometry(1, 4, 2, 16, 64, 128, "for this test")


def options(*backends: str) -> bench.BenchOptions:
    return bench.BenchOptions(torch.device("cpu"), SMALL, 33, 2, "float32", 16, backends, 2)


def test_rows_and_rates() -> None:
    said: list[str] = []
    result = bench.bench(options("gather", "flex"), said.append)
    assert said[-2:] == ["decode", "prefill"]
    names = ["contiguous", "gather", "gather, fresh memory", "flex"]
    assert [(row.phase, row.backend) for row in result.rows] == [
        (phase, name) for phase in ("decode", "prefill") for name in names
    ]
    for row in result.rows:
        assert row.seconds > 0
        if row.phase == "decode":
            assert row.bytes_per_second == pytest.approx(2 * 2 * 33 * 2 * 16 * 4 / row.seconds)
            assert row.share == pytest.approx(row.bytes_per_second / result.copy_bytes_per_second)
        else:
            assert row.flops_per_second == pytest.approx(2 * 33 * 34 * 4 * 16 / row.seconds)
    assert result.rows[0].relative == 1


def test_contiguous_and_paged_compute_the_same() -> None:
    for phase, batch in (("decode", 2), ("prefill", 1)):
        jobs = bench._jobs(
            options("gather"), phase, [bench._inputs(options(), phase, batch, 0)], False
        )
        side = jobs["contiguous"](0).transpose(1, 2).flatten(0, 1)  # type: ignore[attr-defined]
        torch.testing.assert_close(jobs["gather"](0), side)


def test_jobs_take_turns_and_the_first_rounds_do_not_count() -> None:
    calls: list[str] = []
    jobs = {name: lambda run, name=name: calls.append(f"{name}{run}") for name in "ab"}
    found = time_in_turn(jobs, torch.device("cpu"), runs=2, warm=1)  # type: ignore[arg-type]
    assert calls == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert set(found) == {"a", "b"}


def test_rates_are_the_work_over_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy reads and writes each byte; of an n × n product each number takes n terms of 2."""
    ran: list[object] = []

    def half_a_second(jobs: dict[str, timing.Job], *_: object) -> dict[str, float]:
        ran.extend(job(0) for job in jobs.values())
        return dict.fromkeys(jobs, 0.5)

    monkeypatch.setattr(timing, "time_in_turn", half_a_second)
    cpu = torch.device("cpu")
    assert timing.copy_bandwidth(cpu, 1, 4096) == 2 * 4096 / 0.5
    assert timing.matmul_rate(cpu, torch.float32, 1) == 2 * 1024**3 / 0.5
    copied, product = ran
    assert torch.equal(copied, torch.zeros(1024))  # type: ignore[arg-type]
    assert product.shape == (1024, 1024)  # type: ignore[attr-defined]


def test_inputs_are_rotated_until_they_are_larger_than_a_cache() -> None:
    assert copies_past_the_cache(1 << 30) == 1
    assert copies_past_the_cache(64 << 20) == 4
    assert copies_past_the_cache(1) == 8


def test_it_is_refused_where_the_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda device: 1000)
    with pytest.raises(memory.NotEnoughMemoryError):
        bench.bench(options("gather"))
