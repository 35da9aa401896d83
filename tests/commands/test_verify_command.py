"""`walkthrough verify`: what it says, in both languages, and what it refuses."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from helpers.cli import ROOT, run_cli

from walkthrough.commands import verify as command
from walkthrough.commands.cli import main
from walkthrough.installation import install_command


def test_the_faults_that_can_be_asked_for_are_all_there_are() -> None:
    from gpu.verification.faults import FAULTS

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


@pytest.mark.slow
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
    from gpu import memory

    monkeypatch.setattr(memory, "free_bytes", lambda device: 3 * 2**18)
    assert main([*FAST, "--backend", "gather", "--lang", language]) == 1
    shown = capsys.readouterr()
    for figure in ("504 KiB", "768 KiB"):
        assert figure in shown.out  # said before anything is allocated
    for figure in ("1008 KiB", "768 KiB"):
        assert figure in shown.err


def test_torch_that_is_missing_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("walkthrough.commands.torch_arguments.find_spec", lambda name: None)
    for name in ("verify", "bench"):
        assert main([name, "--lang", "en"]) == 2
        error = capsys.readouterr().err
        assert error == f"error: this needs torch; install it with: {install_command('gpu')}\n"


def test_without_a_compiler_gather_stands_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert main([*FAST, "--backend", "compiled", "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    assert "There is no C++ compiler: gather stands in for compiled.\n" in shown
    assert "gather decode" in shown


@pytest.mark.slow
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
