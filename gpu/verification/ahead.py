"""A Triton kernel compiled for a card that is not here, and what can be read off its machine code.

Triton compiles ahead of time for any target; its wheel brings `cuobjdump` (registers, stack) and
`nvdisasm` (instructions). Nothing is run, so nothing is timed: these are static counts.

To be imported in a process of its own: it turns Triton's interpreter off.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"  # in time only before Triton is imported

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from gpu.verification.machine_code import MachineCode, count

INT32 = ("table", "seq_lens", "rows", "query_start_loc")
FLOAT32 = ("lse", "parts", "parts_lse", "k_scales", "v_scales")
ONLY_OF_CODES = ("k_scales", "v_scales")


def signature(kernel: Any, dtype: str, constants: Mapping[str, object]) -> dict[str, str]:
    """Types of a kernel's arguments, by name; `dtype`: fp32, fp16 or bf16."""
    codes = constants.get("CODES", 0)

    def of(name: str) -> str:
        if name in ("K", "V") and codes:
            return "*i8" if codes == 1 else "*u8"
        if name in constants:
            return "constexpr"
        if name in INT32:
            return "*i32"
        if name in FLOAT32:
            return "*fp32"
        if name in ("Q", "K", "V", "out"):
            return f"*{dtype}"
        return "fp32" if name == "scale" else "i32"

    return {name: of(name) for name in kernel.arg_names}


def compile_for(
    kernel: Any,
    capability: int,
    dtype: str,
    constants: Mapping[str, object],
    num_warps: int,
    num_stages: int,
) -> MachineCode:
    """Compile a kernel for a card (90 is sm_90); Triton's own errors where it cannot be.

    Pointers and strides are taken to be multiples of 16, as they are for d_k of 16, 32, 64, …;
    what the kernel asks not to be specialised is not.
    """
    constants = {name: value for name, value in constants.items() if name in kernel.arg_names}
    if not constants.get("CODES"):
        constants |= {name: None for name in ONLY_OF_CODES if name in kernel.arg_names}
    types = signature(kernel, dtype, constants)
    attrs = {
        (i,): [["tt.divisibility", 16]]
        for i, (name, kind) in enumerate(types.items())
        if kind.startswith("*") or (kind == "i32" and not kernel.params[i].do_not_specialize)
    }
    compiled = triton.compile(
        ASTSource(kernel, types, dict(constants), attrs),
        target=GPUTarget("cuda", capability, 32),
        options={"num_warps": num_warps, "num_stages": num_stages, "enable_fp_fusion": True},
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(compiled.asm["cubin"])
        usage = tool("cuobjdump", "-res-usage", str(path))
        disassembly = tool("nvdisasm", "-c", str(path))
    return count(disassembly, usage, compiled.metadata.shared)


def tool(name: str, *arguments: str) -> str:
    """What one of the programs in Triton's wheel prints."""
    path = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / name
    return subprocess.run([path, *arguments], check=True, capture_output=True, text=True).stdout
