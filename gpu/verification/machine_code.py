"""What can be read off a kernel's machine code: what it asks for, and what it does a tile."""

from __future__ import annotations

import re
from dataclasses import dataclass

MATRIX_INSTRUCTIONS = re.compile(r"\b(HMMA|HGMMA|UTCHMMA|UTC\w*MMA|QGMMA|DMMA)\b")
ASYNC = re.compile(r"\b(LDGSTS|UBLKCP|UTMALDG)\b")


@dataclass(frozen=True)
class MachineCode:
    """Static counts of one compiled kernel; `loop`: of the pass over one tile, by one warp."""

    shared: int  # bytes of shared memory that a launch asks for
    registers: int  # of a thread
    stack: int  # bytes of a thread: what did not fit into registers
    matrix: int  # matrix instructions (tensor cores) in all
    copies: int  # asynchronous copies from global to shared memory in all
    loop: int  # instructions
    shuffles: int  # of them, between the threads of a warp
    barriers: int  # of them, where all warps wait for one another


def count(disassembly: str, usage: str, shared: int) -> MachineCode:
    """From what `nvdisasm -c` and `cuobjdump -res-usage` print, and Triton's shared memory."""
    found = {name: int(n) for name, n in re.findall(r"(REG|STACK):(\d+)", usage)}
    body = loop(disassembly.splitlines())
    return MachineCode(
        shared,
        found["REG"],
        found["STACK"],
        len(MATRIX_INSTRUCTIONS.findall(disassembly)),
        len(ASYNC.findall(disassembly)),
        len(body),
        sum("SHFL" in line for line in body),
        sum("BAR.SYNC" in line for line in body),
    )


def loop(lines: list[str]) -> list[str]:
    """The instructions of the first loop that is long: a label, up to the jump back to it."""
    labels: dict[str, int] = {}
    code: list[str] = []
    loops: list[tuple[int, int]] = []
    for line in lines:
        if label := re.match(r"(\.L_\w+):", line.strip()):
            labels[label[1]] = len(code)
        elif re.match(r"/\*[0-9a-f]{4,}\*/", line.strip()):
            code.append(line)
            jump = re.search(r"\bBRA\b.*`\((\.L_\w+)\)", line)
            if jump and jump[1] in labels:
                loops.append((labels[jump[1]], len(code)))
    longest = max((end - begin for begin, end in loops), default=0)
    for begin, end in sorted(loops):
        if end - begin > longest // 2:
            return code[begin:end]
    return []
