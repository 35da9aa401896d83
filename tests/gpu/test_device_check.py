"""What is to be run on a GPU, rehearsed: it has to find what is wrong, and go on where it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from gpu import device_check, launch_sweep
from gpu.attention import gather
from gpu.attention.launches import Launch
from gpu.devices import device_name, fitting_dtype

CPU = torch.device("cpu")


@pytest.fixture
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """One backend that needs no compiler, one that does not take every size, one not here."""
    monkeypatch.setattr(device_check, "BACKENDS", ("gather", "flex", "varlen"))
    monkeypatch.setattr(device_check, "DTYPES", {"float32": torch.float32})


def run(tmp_path: Path, part: str) -> tuple[int, dict[str, Any]]:
    file = tmp_path / "device.json"
    status = device_check.main([part, "--quick", "--json", str(file)])
    return status, json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.usefixtures("quickly")
def test_kernels_that_are_right(tmp_path: Path) -> None:
    status, found = run(tmp_path, "kernels")
    assert status == 0
    assert found["device"] == device_name(CPU) and found["triton"]
    gathered, flexed, varlen = found["kernels"]
    assert (varlen["cases"], varlen["left_out"]) == (0, "cuda")
    assert (gathered["backend"], gathered["dtype"]) == ("gather", "float32")
    # Every 41st of 5 · 5 · 4 sizes, over two batches.
    assert (gathered["cases"], gathered["failed"], gathered["left_out"]) == (6, [], "")
    assert 0 < gathered["worst"] < 2e-6
    assert flexed["left_out"] == "sizes that it does not take"
    assert (flexed["cases"], flexed["failed"]) == (0, [])


@pytest.mark.usefixtures("quickly")
def test_kernels_that_are_wrong_or_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triton.runtime.errors import OutOfResources

    attend, calls = gather.Gather.attend, list[int]()

    def broken(self: gather.Gather, Q: torch.Tensor, *inputs: Any) -> Any:
        calls.append(len(Q))
        if len(calls) == 1:
            raise OutOfResources(300, 227, "shared memory")
        out, sums = attend(self, Q, *inputs)
        out[-1] = 0
        return out, sums

    monkeypatch.setattr(gather.Gather, "attend", broken)
    status, found = run(tmp_path, "kernels")
    assert status == 1
    gathered = found["kernels"][0]
    assert gathered["cases"] == len(gathered["failed"]) == 5
    assert "out of resource: shared memory" in gathered["left_out"]
    assert gathered["failed"][0].startswith("group 1, d_k 59, block size 1, splits None: ")

    def forgotten(*inputs: Any) -> Any:
        raise ZeroDivisionError("no launch is too large for that")

    monkeypatch.setattr(gather.Gather, "attend", forgotten)
    with pytest.raises(ZeroDivisionError):
        run(tmp_path, "kernels")


def test_the_sweep_times_every_launch_beside_the_one_built_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from triton.runtime.errors import OutOfResources

    attend = launch_sweep.PagedTriton.attend

    def small(self: launch_sweep.PagedTriton, *inputs: Any, **more: Any) -> Any:
        if self.decode == Launch(16, 4, 2):
            raise OutOfResources(300, 227, "shared memory")
        return attend(self, *inputs, **more)

    seconds = iter(range(1, 100))
    monkeypatch.setattr(launch_sweep.PagedTriton, "attend", small)
    monkeypatch.setattr(
        launch_sweep, "time_in_turn", lambda jobs, *_, **__: {n: next(seconds) / 8 for n in jobs}
    )
    monkeypatch.setattr(launch_sweep, "copy_bandwidth", lambda device, nbytes: 1e9)
    monkeypatch.setattr(launch_sweep, "matmul_rate", lambda device, dtype, runs: 1e12)
    device_check.keep(tmp_path / "device.json", CPU, "kernels", [{"failed": []}])
    status, found = run(tmp_path, "sweep")
    assert status == 0
    assert found["kernels"] == [{"failed": []}]  # the other part's results stay
    assert [(row["kernel"], row["heads"]) for row in found["sweep"]] == [
        *[("decode", [32, 32])] * 3,
        *[("decode", [32, 8])] * 3,
        ("prefill", [32, 8]),
    ]
    first, left_out, second = found["sweep"][:3]
    assert first["launch"]["dot"] and first["launch"]["tile"] == 64
    assert left_out["left_out"].startswith("out of resource: shared memory")
    assert "seconds" not in left_out
    keys_and_values = 2 * 128 * 32 * 128 * 2  # bytes of 128 tokens, 32 heads, 16 bits
    assert first["share"] == pytest.approx(keys_and_values / 1e9 / (1 / 8))
    assert second["share"] == pytest.approx(keys_and_values / 1e9 / (2 / 8))
    last = found["sweep"][-1]
    sizes = {name: last["launch"][name] for name in ("tile", "num_warps", "num_stages", "rows")}
    assert sizes == {"tile": 64, "num_warps": 4, "num_stages": 2, "rows": 128}
    assert last["share"] == pytest.approx(2 * 128 * 129 * 32 * 128 / 1e12 / last["seconds"])


def test_the_quickest_launches_and_the_one_built_in(capsys: pytest.CaptureFixture[str]) -> None:
    times = [Launch(16 * n, 4, 2) for n in range(1, 6)]
    found: list[tuple[Launch, float | str]] = [
        (one, seconds) for one, seconds in zip(times, (0.5, 0.2, 0.4, 0.1, 0.3), strict=True)
    ]
    rows = launch_sweep.report("decode", (4, 2), found, times[0], 0.05, "copy")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "decode, heads (4, 2):"
    assert [line.split(" us")[0].strip() for line in printed[1:]] == [
        "100000.0",
        "200000.0",
        "300000.0",
        "500000.0",
    ]
    assert printed[1].split()[2:6] == ["50.0", "%", "of", "copy"]
    assert [line.endswith("built in") for line in printed[1:]] == [False, False, False, True]
    assert [row["built_in"] for row in rows] == [True, False, False, False, False]
    launch_sweep.report("decode", (4, 2), [(times[0], "too large")], times[0], 0.05, "copy")
    assert capsys.readouterr().out.splitlines()[1].startswith("  left out: Launch(tile=16")


def test_without_a_gpu_only_a_rehearsal(capsys: pytest.CaptureFixture[str]) -> None:
    assert device_check.main(["kernels"]) == 2
    assert "--quick rehearses on the CPU" in capsys.readouterr().err


def test_dtypes_and_names_of_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = torch.device("cuda")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "T4")
    for capability, fits in (((7, 5), "float16"), ((8, 0), "bfloat16"), ((9, 0), "bfloat16")):
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device, c=capability: c)
        assert fitting_dtype("bfloat16", cuda) == fits
        assert fitting_dtype("float32", cuda) == "float32"
        assert device_name(cuda).startswith(f"T4 ({capability[0]}.{capability[1]}), CUDA ")
    assert fitting_dtype("bfloat16", CPU) == "bfloat16"
    assert device_name(CPU).startswith(f"cpu, {torch.get_num_threads()} threads, torch ")
