"""Kernels compiled for cards that are not here, in a process of its own; and what would fail."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpu.attention import launches
from gpu.compile_check import CompiledKernel, broken, cases, main, row
from gpu.verification.cards import CARDS, blocks_at_once
from gpu.verification.machine_code import MachineCode, count

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Triton's wheel is for Linux")

ROOT = Path(__file__).parents[2]


def check(*arguments: str, timeout: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpu.compile_check", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout)


def test_two_cards() -> None:
    done = check("sm_75", "sm_90", "--quick", timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["sm_75", "prefill", "4", "fp16", "128", "gather"] in lines
    decode = next(cells for cells in lines if cells[:3] == ["sm_90", "decode", "1"])
    assert float(decode[-2]) > float(decode[-1]) > 20, "bytes a clock beside what an H200 needs"
    # What lesson 20 shows of it; another Triton counts a little otherwise.
    lesson = (ROOT / "lessons/en/20_how_a_kernel_walks_the_pages.md").read_text(encoding="utf-8")
    for sm in ("75", "90"):
        found = re.search(rf"\({sm}, 2\): \(([\d.]+), (\d+), (\d+)\)", lesson)
        assert found is not None
        cells = next(cells for cells in lines if cells[:3] == [f"sm_{sm}", "decode", "1"])
        now = [float(cells[i]) for i in (5, 7, 12)]  # shared KB, registers, instructions
        assert now == pytest.approx([float(number) for number in found.groups()], rel=0.25)


@pytest.mark.slow
def test_all_cards() -> None:
    done = check(timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 1 + len(CARDS) * 14


def test_torch_is_not_needed() -> None:
    code = "import sys, gpu.compile_check; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


FINE = MachineCode(
    shared=39_424, registers=117, stack=0, matrix=32, copies=35, loop=508, shuffles=16, barriers=5
)
DECODE = CompiledKernel(90, "decode", 1, "bf16", 128)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"shared": 232_449}, "asks for 232,449 bytes of shared memory"),
        ({"stack": 161}, "spills 161 bytes a thread"),
        ({"copies": 0}, "no matrix instructions or asynchronous copies"),
        ({"matrix": 0}, "no matrix instructions or asynchronous copies"),
        ({"shuffles": 150}, "shuffles 150 times a tile"),
        ({"loop": 2248}, r"takes in 14.6 bytes a clock \(the memory gives 20.7\)"),
    ],
)
def test_each_limit_is_held(changed: dict[str, int], match: str) -> None:
    assert broken(DECODE, FINE) == []
    found = broken(DECODE, replace(FINE, **changed))
    assert len(found) == 1
    assert re.search(match, found[0])


def test_a_launch_that_is_too_large_fails_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The prefill of before on an RTX 3090 in float32: 164,608 bytes, 8,304 of them spilled."""
    case = CompiledKernel(86, "prefill", 4, "fp32", 128)
    found = broken(case, replace(FINE, shared=164_608, stack=8_304))
    assert "which do not fit (101,376 bytes)" in found[0]
    assert "spills 8304 bytes" in found[1]
    assert main(["sm_91"]) == 2
    assert "unknown card sm_91; known: sm_75" in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main([]) == 2


def test_how_many_blocks_fit() -> None:
    assert blocks_at_once(CARDS[90], 117, 39_424, 4) == 4, "by registers"
    assert blocks_at_once(CARDS[86], 117, 39_424, 4) == 2, "by shared memory"
    assert blocks_at_once(CARDS[75], 32, 0, 16) == 2, "by warps"
    assert blocks_at_once(CARDS[86], 32, 101_377, 4) == 0


def test_the_loop_of_a_tile_is_found() -> None:
    text = """
        /*0000*/ MOV R1, c[0x0][0x28] ;
    .L_x_1:
        /*0010*/ LDG.E.128 R4, [R2] ;
        /*0020*/ SHFL.BFLY PT, R5, R4, 0x1, 0x1f ;
        /*0030*/ HMMA.16816.F32 R8, R4, R6, RZ ;
        /*0040*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0050*/ @P0 BRA `(.L_x_1) ;
    .L_x_2:
        /*0060*/ BRA `(.L_x_2) ;
    """
    assert count(text, "REG:40 STACK:8 SHARED:0", 99) == MachineCode(99, 40, 8, 1, 0, 5, 1, 1)


def test_every_entry_of_the_table_is_compiled_and_no_number_of_a_step_is_a_constant() -> None:
    used = {case.launch for case in cases(list(CARDS)) if case.kernel != "merge"} - {None}
    table = {value for name, value in vars(launches).items() if isinstance(value, launches.Launch)}
    assert used == table - {launches.DECODE_INTERPRETED, launches.PREFILL_INTERPRETED}
    assert row(CompiledKernel(75, "prefill", 4, "fp16", 128), None)[-1] == "gather"
    constants = launches.decode_constants(launches.DECODE_16, 1, 16, 128, False)
    assert set(constants) | set(launches.merge_constants(128)) == {
        *("GROUP", "ROWS", "BLOCK_SIZE", "D", "D_PAD", "TILE", "WINDOW", "DOT")
    }
