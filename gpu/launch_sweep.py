"""A sweep of launch parameters on the hardware: which tile, warps and stages are the quickest."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product
from typing import Any

import torch

from gpu.attention.launches import Launch, decode_launch, prefill_launch
from gpu.attention.paged_triton import PagedTriton, card
from gpu.batch import Batch, from_table
from gpu.devices import DTYPES, fitting_dtype
from gpu.storage import PagedStorage
from gpu.timing import Job, copies_past_the_cache, copy_bandwidth, matmul_rate, time_in_turn

Results = list[dict[str, Any]]  # a line each: kernel, heads, launch, and seconds or left_out


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
        Q = torch.randn(batch, h, 128, dtype=torch.float32, device=device).to(dtype)
        inputs.append((Q, storage, made))
    return inputs


def sweep(device: torch.device, quick: bool) -> Results:
    """Tile × warps × stages of both kernels, by time; the best beside what is built in.

    Without `dot` nothing is pipelined: its number of stages changes no instruction. Nor do four
    stages where three were enough; five show whether more copies in flight help.
    """
    tokens, batch = (128, 1) if quick else (4096, 8)
    runs = 1 if quick else 7
    tiles, warps, stages = ((64,), (4,), (2,)) if quick else ((32, 64, 128), (2, 4, 8), (2, 3, 5))
    copy = copy_bandwidth(device, nbytes=(1 if quick else 512) << 20)
    results: Results = []
    for heads in ((32, 32), (32, 8)):
        inputs = decode_inputs(device, batch, tokens, heads, 16)
        itemsize = inputs[0][0].element_size()
        nbytes = 2 * batch * tokens * heads[1] * 128 * itemsize
        options = [Launch(*one, dot=True) for one in product(tiles, warps, stages)]
        options += [Launch(*one, 2) for one in product((16, *tiles), warps)]
        built_in = decode_launch(card(device).capability, itemsize, 128)
        found = timed(device, inputs, [(one, PagedTriton(decode=one)) for one in options], runs)
        results += report("decode", heads, found, built_in, nbytes / copy, "copy")
    rate = matmul_rate(device, inputs[0][0].dtype, 1 if quick else 9)
    n = 128 if quick else 4096
    Q, storage, batch_of_one = decode_inputs(device, 1, n, (32, 8), 16)[0]
    Q = torch.randn(n, 32, 128, dtype=torch.float32, device=device).to(Q.dtype)
    assert batch_of_one.host_table is not None
    chunk = from_table(batch_of_one.host_table, [n], [n], device=device)
    rows = (128,) if quick else (64, 128)
    options = [Launch(t, w, s, rows=r) for t, w, s, r in product(tiles, warps, stages, rows)]
    backends = [(one, PagedTriton(prefill=one)) for one in options]
    built_in = prefill_launch(card(device).capability, itemsize, 128)
    found = timed(device, [(Q, storage, chunk)], backends, runs)
    work = 2 * n * (n + 1) * 32 * 128
    return results + report("prefill", (32, 8), found, built_in, work / rate, "matmul")


def timed(
    device: torch.device,
    inputs: list[tuple[torch.Tensor, PagedStorage, Batch]],
    backends: list[tuple[Launch, PagedTriton]],
    runs: int,
) -> list[tuple[Launch, float | str]]:
    """Median seconds of each launch; of those that the card has no room for, the reason."""
    jobs: dict[str, Job] = {}
    left_out: dict[str, str] = {}
    for launch, backend in backends:

        def job(run: int, backend: PagedTriton = backend) -> object:
            Q, storage, batch = inputs[run % len(inputs)]
            return backend.attend(Q, storage.K[0], storage.V[0], batch, lse=False)

        try:
            job(0)
        except Exception as error:
            left_out[str(launch)] = why_left_out(error)
            continue
        jobs[str(launch)] = job
    times = time_in_turn(jobs, device, runs, warm=1)
    return [(one, left_out.get(str(one)) or times[str(one)]) for one, _ in backends]


def why_left_out(error: Exception) -> str:
    """The first line of what Triton says of a launch that does not fit; other errors are raised.

    It raises classes of its own: out of resources (shared memory, registers), or its assembler's.
    """
    if type(error).__module__.startswith("triton."):
        return (str(error).splitlines() or [type(error).__name__])[0]
    raise error


def report(
    kernel: str,
    heads: tuple[int, int],
    found: list[tuple[Launch, float | str]],
    built_in: Launch | None,
    best: float,
    unit: str,
) -> Results:
    """Print the three quickest launches and the one that is built in; all as plain numbers."""
    print(f"{kernel}, heads {heads}:", flush=True)
    times = {launch: seconds for launch, seconds in found if isinstance(seconds, float)}
    quickest = sorted(times, key=lambda launch: times[launch])[:3]
    for launch in [*quickest, *([built_in] if built_in in times else [])]:
        assert launch is not None
        share, mark = best / times[launch] * 100, "built in" if launch == built_in else ""
        print(f"  {times[launch] * 1e6:9.1f} us  {share:5.1f} % of {unit}  {launch} {mark}")
    for launch, reason in found:
        if isinstance(reason, str):
            print(f"  left out: {launch}: {reason}")
    return [
        {
            "kernel": kernel,
            "heads": heads,
            "launch": asdict(launch),
            "built_in": launch == built_in,
            **(
                {"left_out": value}
                if isinstance(value, str)
                else {"seconds": value, "share": best / value}
            ),
        }
        for launch, value in found
    ]
