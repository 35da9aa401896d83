"""What `device_check.sh` runs on a machine with a GPU: kernels, launch sweep, graph, floors.

    python -m gpu.device_check kernels|sweep [--quick]

Each prints plain lines and exits 1 where something is wrong. Nothing is kept but the numbers.
"""

from __future__ import annotations

import sys
from itertools import product

import torch

from gpu.attention import BACKENDS, make_backend, why_not
from gpu.attention.paged_triton import DECODE, PREFILL, Launch, PagedTriton
from gpu.batch import Batch, from_table
from gpu.devices import DTYPES, choose_device, fitting_dtype
from gpu.storage import PagedStorage
from gpu.timing import Job, copies_past_the_cache, copy_bandwidth, matmul_rate, time_in_turn
from gpu.verification.cases import make_case

BATCHES = (  # lengths, and how many queries each: decode, and chunks of prompts
    ([0, 1, 15, 16, 17, 64, 100, 1000], [1] * 8),
    ([1, 15, 16, 17, 64, 100, 1000], [1, 15, 3, 17, 64, 20, 257]),
)


def kernels(device: torch.device, quick: bool) -> int:
    """Every backend over lengths, groups, head sizes, blocks and dtypes; 1 where one is off."""
    shapes = list(product((1, 2, 5, 7, 48), (59, 64, 80, 96, 128), (1, 16, 24, 256)))
    failures = 0
    for name, dtype in product(BACKENDS, DTYPES):
        if fitting_dtype(dtype, device) != dtype:
            continue
        worst, count, left_out = 0.0, 0, ""
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
                for splits in (1, 9) if name == "triton" else (None,):
                    backend = PagedTriton(splits=splits) if splits else make_backend(name)
                    error, count = one.errors(backend)[0].error, count + 1
                    worst = max(worst, error)
                    if not one.agrees(backend):
                        failures += 1
                        sizes = f"group {group}, d_k {d_k}, block size {block_size}"
                        print(f"  {name} {dtype}, {sizes}, splits {splits}: {error:.1e}")
        note = f" (left out: {left_out})" if left_out else ""
        print(f"{name:<9}{dtype:<9}{count:>5} cases, worst error {worst:.1e}{note}", flush=True)
    return 1 if failures else 0


def decode_inputs(
    device: torch.device, batch: int, tokens: int, heads: tuple[int, int], block_size: int
) -> list[tuple[torch.Tensor, PagedStorage, Batch]]:
    """Sets of inputs for decode, enough that none is in a cache when its turn comes."""
    h, h_kv = heads
    interpreted = device.type == "cpu"  # Triton's interpreter has no bfloat16
    dtype = DTYPES["float16" if interpreted else fitting_dtype("bfloat16", device)]
    blocks = -(-tokens // block_size)
    nbytes = 2 * batch * tokens * h_kv * 128 * dtype.itemsize
    inputs = []
    for seed in range(copies_past_the_cache(nbytes)):
        storage = PagedStorage(
            batch * blocks + 1, block_size, 128, h_kv=h_kv, dtype=dtype, device=device, fill=0.5
        )
        order = torch.randperm(batch * blocks, generator=torch.Generator().manual_seed(seed)) + 1
        made = from_table(
            order.view(batch, blocks).int(), [tokens] * batch, [1] * batch, device=device
        )
        Q = torch.randn(batch, h, 128, device=device).to(dtype)
        inputs.append((Q, storage, made))
    return inputs


def sweep(device: torch.device, quick: bool) -> int:
    """Tile × warps × stages of both kernels, by time; the best beside what is built in."""
    tokens, batch = (128, 1) if quick else (4096, 8)
    runs = 1 if quick else 7
    tiles, warps, stages = ((64,), (4,), (2,)) if quick else ((32, 64, 128), (2, 4, 8), (2, 3, 4))
    copy = copy_bandwidth(device, nbytes=(1 if quick else 512) << 20)
    for heads in ((32, 32), (32, 8)):
        inputs = decode_inputs(device, batch, tokens, heads, 16)
        nbytes = 2 * batch * tokens * heads[1] * 128 * inputs[0][0].element_size()
        dots = (False, True) if heads[0] == heads[1] else (False,)  # a group takes it anyway
        options = [Launch(*one[:3], dot=one[3]) for one in product(tiles, warps, stages, dots)]
        found = timed(device, inputs, {f"{o}": PagedTriton(decode=o) for o in options}, runs)
        print_report(f"decode, heads {heads}", found, f"{DECODE}", nbytes, copy, "copy")
    rate = matmul_rate(device, inputs[0][0].dtype, 1 if quick else 9)
    n = 128 if quick else 4096
    Q, storage, batch_of_one = decode_inputs(device, 1, n, (32, 8), 16)[0]
    Q = torch.randn(n, 32, 128, device=device).to(Q.dtype)
    chunk = from_table(batch_of_one.block_table.cpu(), [n], [n], device=device)
    rows = (128,) if quick else (64, 128)
    options = [Launch(t, w, s, rows=r) for t, w, s, r in product(tiles, warps, stages, rows)]
    backends = {f"{o}": PagedTriton(prefill=o) for o in options}
    found = timed(device, [(Q, storage, chunk)], backends, runs)
    print_report("prefill", found, f"{PREFILL}", 2 * n * (n + 1) * 32 * 128, rate, "matmul")
    return 0


def timed(
    device: torch.device,
    inputs: list[tuple[torch.Tensor, PagedStorage, Batch]],
    backends: dict[str, PagedTriton],
    runs: int,
) -> dict[str, float]:
    """Median seconds of each; launches that the card has no room for are left out."""
    jobs: dict[str, Job] = {}
    for name, backend in backends.items():

        def job(run: int, backend: PagedTriton = backend) -> object:
            Q, storage, batch = inputs[run % len(inputs)]
            return backend.attend(Q, storage.K[0], storage.V[0], batch, lse=False)

        try:
            job(0)
        except Exception as error:  # Triton raises classes of its own: out of shared memory, …
            print(f"  left out: {name}: {str(error).splitlines()[0]}")
            continue
        jobs[name] = job
    return time_in_turn(jobs, device, runs, warm=1)


def print_report(
    title: str, found: dict[str, float], built_in: str, work: int, best_rate: float, unit: str
) -> None:
    """The three quickest launches and the one that is built in."""
    print(f"{title}:", flush=True)
    names = sorted(found, key=lambda name: found[name])
    for name in [*names[:3], *([built_in] if built_in in found else [])]:
        mark = "built in" if name == built_in else ""
        share = work / found[name] / best_rate * 100
        print(f"  {found[name] * 1e6:9.1f} us  {share:5.1f} % of {unit}  {name} {mark}")


def main(arguments: list[str]) -> int:
    """One part of the check; on a CPU with --quick, a rehearsal."""
    quick = "--quick" in arguments
    device = choose_device("auto")
    if device.type != "cuda" and not quick:
        print("no CUDA here; --quick rehearses on the CPU", file=sys.stderr)
        return 2
    return {"kernels": kernels, "sweep": sweep}[arguments[0]](device, quick)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
