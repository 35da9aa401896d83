"""What `device_check.sh` runs on a machine with a GPU: kernels, launch sweep, graph, floors.

    python -m gpu.device_check kernels|sweep [--quick] [--json FILE]

Each prints plain lines and exits 1 where something is wrong. The numbers of both parts, and of
which card, go into one JSON file.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import torch

from gpu.attention import BACKENDS, make_backend, why_not
from gpu.attention.paged_triton import PagedTriton
from gpu.devices import DTYPES, choose_device, device_name, fitting_dtype
from gpu.launch_sweep import sweep, why_left_out
from gpu.verification.cases import make_case

BATCHES = (  # lengths, and how many queries each: decode, and chunks of prompts
    ([0, 1, 15, 16, 17, 64, 100, 1000], [1] * 8),
    ([1, 15, 16, 17, 64, 100, 1000], [1, 15, 3, 17, 64, 20, 257]),
)


def kernels(device: torch.device, quick: bool) -> list[dict[str, Any]]:
    """Every backend over lengths, groups, head sizes, blocks and dtypes, and what was off."""
    shapes = list(product((1, 2, 5, 7, 48), (59, 64, 80, 96, 128), (1, 16, 24, 256)))
    results: list[dict[str, Any]] = []
    for name, dtype in product(BACKENDS, DTYPES):
        if fitting_dtype(dtype, device) != dtype:
            continue
        worst, count, left_out, failed = 0.0, 0, "", []
        for group, d_k, block_size in shapes[:: 41 if quick else 3]:
            if reason := why_not(name, device, DTYPES[dtype], block_size):
                left_out = reason
                continue
            if name in ("flex", "varlen") and (d_k % 32 or block_size % 16):
                left_out = "sizes that it does not take"
                continue
            for lengths, query_lens in BATCHES:
                if quick:
                    lengths, query_lens = lengths[:4], query_lens[:4]
                one = make_case(
                    lengths,
                    query_lens,
                    h=2 * group,
                    h_kv=2,
                    d_k=d_k,
                    block_size=block_size,
                    dtype=DTYPES[dtype],
                    device=device,
                )
                sizes = f"group {group}, d_k {d_k}, block size {block_size}"
                for splits in (1, 9) if name == "triton" else (None,):
                    backend = PagedTriton(splits=splits) if splits else make_backend(name)
                    try:
                        near, error = one.agrees(backend), one.errors(backend)[0].error
                    except Exception as problem:
                        left_out = f"{sizes}: {why_left_out(problem)}"
                        print(f"  left out: {name} {dtype}, {left_out}")
                        continue
                    worst, count = max(worst, error), count + 1
                    if not near:
                        failed.append(f"{sizes}, splits {splits}: {error:.1e}")
                        print(f"  {name} {dtype}, {failed[-1]}")
        note = f" (left out: {left_out})" if left_out else ""
        print(f"{name:<9}{dtype:<9}{count:>5} cases, worst error {worst:.1e}{note}", flush=True)
        found = {"cases": count, "worst": worst, "failed": failed, "left_out": left_out}
        results.append({"backend": name, "dtype": dtype} | found)
    return results


def keep(path: Path, device: torch.device, part: str, results: list[dict[str, Any]]) -> None:
    """Put a part's results into the file, beside the other part's."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known |= {"device": device_name(device), "triton": version("triton"), part: results}
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


def main(arguments: list[str]) -> int:
    """One part of the check; on a CPU with --quick, a rehearsal."""
    quick = "--quick" in arguments
    device = choose_device("auto")
    if device.type != "cuda" and not quick:
        print("no CUDA here; --quick rehearses on the CPU", file=sys.stderr)
        return 2
    part = arguments[0]
    results = {"kernels": kernels, "sweep": sweep}[part](device, quick)
    if "--json" in arguments:
        keep(Path(arguments[arguments.index("--json") + 1]), device, part, results)
    return 1 if any(result.get("failed") for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
