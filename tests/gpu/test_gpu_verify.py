"""verify: it agrees where both sides are right, and says where one is not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from helpers.cli import ROOT, run_cli

from gpu import memory
from gpu.verification.faults import FAULTS
from gpu.verification.verify import VerifyOptions, fitting_layers, verify, verify_bytes
from gpu.verification.workload import PHASES, ScheduleError, happens, make_plan
from walkthrough.commands import verify as command
from walkthrough.commands.cli import main
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


def test_the_faults_that_can_be_asked_for_are_all_there_are() -> None:
    assert command.FAULT_NAMES == FAULTS


FAST = ("verify", "--tokens", "64", "--layers", "1", "--geometry", "smollm2-135m")


def test_the_command_says_what_it_did() -> None:
    done = run_cli(*FAST, "--backend", "gather", "--lang", "en", "--seed", "3")
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    assert text.endswith("Everything agrees.\n")
    assert re.search(
        r"gather after a swap +│ +\d+ +\d\.\de-07 +2\.0e-06 +\d\.\de-\d\d +equal", text
    )
    assert "3 K/V heads, d_k 64; float32, block size 16" in text
    assert "1/3,840 of the full size (8,192 tokens, 30 layers, 360 MiB in float32)" in text
    assert "Memory needed: " in text


def test_a_fault_in_korean_on_an_old_console() -> None:
    done = run_cli(
        *FAST,
        *("--backend", "gather", "--lang", "ko", "--break", "wrong-head"),
        env={"PYTHONIOENCODING": "cp949"},
    )
    text = done.stdout.decode("cp949")
    assert done.returncode == 1
    assert re.search(
        r"output 불일치: 백엔드 gather, 프리필, 레이어 0, 시퀀스 s0, 헤드 \d, 위치 \d+", text
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--device", "cuda"], "there is no CUDA here: check the NVIDIA driver"),
        (["--device", "abacus"], "torch knows no device abacus"),
        (["--backend", "varlen"], "the backend varlen cannot run here: it runs on CUDA alone"),
        (["--backend", "mine"], "unknown backend mine; known: auto, all, gather"),
        (["--batch", "1"], "no schedule in which everything happens once fits 64 tokens"),
        (["--geometry", "deepseek-v3"], "invalid choice"),
        (["--tokens", "0"], "must be a whole number from 1"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*FAST, "--backend", "gather", *arguments, "--lang", "en"]) == 2
    error = capsys.readouterr().err
    assert part in error
    assert len(error.strip().splitlines()) == 1


@pytest.mark.parametrize("language", ["ko", "en"])
def test_too_much_memory_is_refused_with_both_figures(
    language: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(memory, "free_bytes", lambda device: 3 * 2**18)
    assert main([*FAST, "--backend", "gather", "--lang", language]) == 1
    shown = capsys.readouterr()
    for figure in ("504 KiB", "768 KiB"):
        assert figure in shown.out  # said before anything is allocated
    for figure in ("1008 KiB", "768 KiB"):
        assert figure in shown.err


def test_full_takes_the_layers_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(options(), layers=2)
    one = sum(verify_bytes(replace(asked, layers=1)))
    for free, layers in ((one, 1), (2 * one, 1), (one * 5 // 2, 2), (100 * one, 2)):
        monkeypatch.setattr(memory, "free_bytes", lambda device, free=free: free)
        assert fitting_layers(asked) == layers


def test_torch_that_is_missing_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("walkthrough.commands.torch_arguments.find_spec", lambda name: None)
    for name in ("verify", "bench"):
        assert main([name, "--lang", "en"]) == 2
        error = capsys.readouterr().err
        assert error == "error: this needs torch; from the project's folder: pip install '.[gpu]'\n"


def test_without_a_compiler_gather_stands_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main([*FAST, "--backend", "compiled", "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "There is no C++ compiler: gather stands in for compiled.\n" in shown
    assert "gather decode" in shown


def test_two_processes_agree_with_one() -> None:
    arguments = ["--tokens", "64", "--layers", "1", "--backend", "gather", "--lang", "en"]
    arguments += ["--geometry", "llama3-8b"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node", "2", "-m", "walkthrough", "verify", *arguments),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "The outputs of 2 processes beside those of one: relative error 0.0e+00." in done.stdout
    assert done.stdout.count("Everything agrees.") == 1
