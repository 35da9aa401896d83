"""All Triton kernels, compiled for cards that are not here, and held against their limits.

    python -m gpu.compile_check [sm_90 sm_75 …] [--quick]

Prints what the machine code asks for and does, kernel by kernel and card by card (--quick: 16 bits
and d_k 128 alone). Exit status 1, with a sentence, where a launch would not fit, spills, leaves
matrix instructions or asynchronous copies unused that are counted on, or takes in less a clock
than the card's memory gives. Nothing is run and nothing timed: a kernel that passes can still be
slow, one that fails cannot be good.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from gpu.attention import launches
from gpu.attention.launches import Launch
from gpu.verification.cards import CARDS, blocks_at_once
from gpu.verification.machine_code import MachineCode

CHECKED_BLOCK_SIZE = 16
STACK = 160  # bytes of a thread: a few numbers that are spilled outside of the loop
SHUFFLES = 150  # of a tile, in decode: more are a sum over too many threads
ISSUED = 4  # instructions a clock and multiprocessor, at the very most
ITEMSIZE = {"fp32": 4, "fp16": 2, "bf16": 2}
COLUMN_HEADS = (
    *("card", "kernel", "dtype", "d_k", "shared KB", "of", "registers", "stack", "blocks"),
    *("matrix", "copies", "instructions", "shuffles", "B/clk", "needs"),
)


@dataclass(frozen=True)
class CompiledKernel:
    """One kernel for one card."""

    card: int
    kernel: str  # decode, prefill, merge
    group: int
    dtype: str
    d_k: int
    codes: int = 0  # decode: K and V are numbers (0), int8 (1), bytes of E4M3 (2)

    @property
    def name(self) -> str:
        """The kernel, and how many query heads share a K/V head."""
        kept = ("", " int8", " e4m3")[self.codes]
        return self.kernel if self.kernel == "merge" else f"{self.kernel} {self.group}{kept}"

    @property
    def launch(self) -> Launch | None:
        """As the table of launches has it."""
        sizes = divmod(self.card, 10), ITEMSIZE[self.dtype], self.d_k
        if self.kernel == "merge":
            return Launch(launches.MERGED_AT_ONCE, 4, 3)
        choose = {"decode": launches.decode_launch, "prefill": launches.prefill_launch}
        return choose[self.kernel](*sizes)

    @property
    def has_matrix(self) -> bool:
        """Whether matrix instructions and asynchronous copies are counted on."""
        return self.card >= 80 and self.dtype != "fp32" and self.kernel != "merge"


def cases(cards: Sequence[int], quick: bool = False) -> Iterator[CompiledKernel]:
    """Every kernel with every entry of the table that a card uses."""
    for card in cards:
        narrow = "bf16" if card >= 80 else "fp16"
        for dtype in (narrow,) if quick else (narrow, "fp32"):
            for d_k in (128,) if quick else (128, 256):
                yield CompiledKernel(card, "decode", 1, dtype, d_k)
                yield CompiledKernel(card, "decode", 4, dtype, d_k)
                yield CompiledKernel(card, "prefill", 4, dtype, d_k)
            if dtype == narrow:
                for codes in (1, 2):
                    yield CompiledKernel(card, "decode", 4, dtype, 128, codes)
            yield CompiledKernel(card, "merge", 1, dtype, 128)


def compiled(case: CompiledKernel) -> MachineCode:
    """The case's machine code; runs in a process of its own."""
    from gpu.attention import kernels, prefill_kernel
    from gpu.verification.ahead import compile_for

    launch, sizes = case.launch, (case.group, CHECKED_BLOCK_SIZE, case.d_k, False)
    assert launch is not None
    kernel, constants = {
        "decode": (kernels.decode_kernel, launches.decode_constants(launch, *sizes)),
        "prefill": (prefill_kernel.prefill_kernel, launches.prefill_constants(launch, *sizes)),
        "merge": (kernels.merge_splits_kernel, launches.merge_constants(case.d_k)),
    }[case.kernel]
    constants |= {"CODES": case.codes} if case.kernel == "decode" else {}
    warps, stages = launch.num_warps, launch.num_stages
    return compile_for(kernel, case.card, case.dtype, constants, warps, stages)


def bytes_per_clock(case: CompiledKernel, code: MachineCode) -> float | None:
    """K and V that a decode loop takes in, if it issued four instructions a clock."""
    launch = case.launch
    if case.kernel != "decode" or launch is None or not code.loop:
        return None
    of_tile = 2 * launch.tile * case.d_k * (1 if case.codes else ITEMSIZE[case.dtype])
    return of_tile * ISSUED / (code.loop * launch.num_warps)


def broken(case: CompiledKernel, code: MachineCode) -> list[str]:
    """Which limits a kernel breaks, as ends of a sentence."""
    card, found = CARDS[case.card], []
    launch, rate = case.launch, bytes_per_clock(case, code)
    if launch and not blocks_at_once(card, code.registers, code.shared, launch.num_warps):
        found.append(
            f"asks for {code.shared:,} bytes of shared memory and {code.registers} registers a "
            f"thread, which do not fit ({card.shared:,} bytes)"
        )
    if code.stack > STACK:
        found.append(f"spills {code.stack} bytes a thread (at most {STACK})")
    if case.has_matrix and not (code.matrix and code.copies):
        found.append("has no matrix instructions or asynchronous copies")
    if case.kernel == "decode" and code.shuffles >= SHUFFLES:
        found.append(f"shuffles {code.shuffles} times a tile (fewer than {SHUFFLES})")
    # INT8 is no slower than 16 bits where it takes in half as many bytes. E4M3 is made numbers by
    # shifts, bound by instructions on the fastest memories: there it saves room, not time.
    needs = card.needs / 2 if case.codes else card.needs
    if rate is not None and case.dtype != "fp32" and case.codes < 2 and rate < needs:
        found.append(f"takes in {rate:.1f} bytes a clock (the memory gives {needs:.1f})")
    return found


def row(case: CompiledKernel, code: MachineCode | None) -> tuple[str, ...]:
    """A line of the table; no code: `gather` does it."""
    first = (f"sm_{case.card}", case.name, case.dtype, str(case.d_k))
    launch, card = case.launch, CARDS[case.card]
    if code is None or launch is None:
        return (*first, "gather")
    rate = bytes_per_clock(case, code)
    return (
        *first,
        f"{code.shared / 1024:.1f}",
        str(card.shared // 1024),
        str(code.registers),
        str(code.stack),
        str(blocks_at_once(card, code.registers, code.shared, launch.num_warps)),
        *(str(n) for n in (code.matrix, code.copies, code.loop, code.shuffles)),
        *(("", "") if rate is None else (f"{rate:.1f}", f"{card.needs:.1f}")),
    )


def main(arguments: Sequence[str]) -> int:
    """Compile, print, judge."""
    names, quick = {f"sm_{card}": card for card in CARDS}, "--quick" in arguments
    arguments = [name for name in arguments if name != "--quick"]
    if unknown := [name for name in arguments if name not in names]:
        print(f"unknown card {unknown[0]}; known: {', '.join(names)}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("triton") is None:
        print("triton is not installed", file=sys.stderr)
        return 2
    os.environ["TRITON_INTERPRET"] = "0"  # before a process imports Triton
    asked = list(cases([names[name] for name in arguments] or list(CARDS), quick))
    context = multiprocessing.get_context("spawn")
    failures: list[str] = []
    widths = [max(len(heading), 6) for heading in COLUMN_HEADS]
    widths[1] = 13

    def line(cells: Sequence[str]) -> str:
        return "  ".join(cell.rjust(n) for cell, n in zip(cells, widths, strict=False))

    print(line(COLUMN_HEADS), flush=True)
    with ProcessPoolExecutor(min(4, os.cpu_count() or 1), context) as pool:
        codes = {case: pool.submit(compiled, case) for case in asked if case.launch}
        for case in asked:
            code = codes[case].result() if case in codes else None
            print(line(row(case, code)), flush=True)
            if code is not None:
                what = f"sm_{case.card} {case.name} {case.dtype} d_k {case.d_k}"
                failures += [f"{what} {end}" for end in broken(case, code)]
    if failures:
        print(f"A limit is broken: {'; '.join(failures)}.", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
