"""Times that mean something: side by side in one run, warm, medians, inputs not in a cache."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import torch

Job = Callable[[int], object]  # called with the number of the run, to rotate its inputs
CACHE = 256 << 20  # bytes that inputs together must exceed, so that each is read from memory


def copies_past_the_cache(nbytes: int, most: int = 8) -> int:
    """How many sets of inputs of this size to rotate, so that none is still in a cache."""
    return max(1, min(most, -(-CACHE // max(nbytes, 1))))


def time_in_turn(
    jobs: dict[str, Job], device: torch.device, runs: int, warm: int = 2
) -> dict[str, float]:
    """Median seconds of each job; they take turns, so that what disturbs one disturbs all."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for run in range(warm + runs):
        for name, job in jobs.items():
            seconds = _once(job, run, device)
            if run >= warm:
                times[name].append(seconds)
    return {name: median(found) for name, found in times.items()}


def _once(job: Job, run: int, device: torch.device) -> float:
    if device.type == "cuda":
        start, end = (torch.Event(device, enable_timing=True) for _ in range(2))
        start.record()
        job(run)
        end.record()
        end.synchronize()
        return float(start.elapsed_time(end)) / 1000
    begin = time.perf_counter()
    job(run)
    return time.perf_counter() - begin


def as_graph(job: Job, sets: int) -> Job:
    """The job as a CUDA graph for each set of inputs: launched at once, by the device itself."""
    graphs = []
    for number in range(sets):
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            job(number)  # compiles, allocates
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            job(number)
        graphs.append(graph)
    return lambda run: graphs[run % sets].replay()


def copy_bandwidth(device: torch.device, runs: int = 9, nbytes: int = 256 << 20) -> float:
    """Bytes a second that a plain copy reads and writes together, measured here."""
    source = torch.zeros(nbytes // 4, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    found = time_in_turn({"copy": lambda run: target.copy_(source)}, device, runs)
    return 2 * nbytes / found["copy"]


def matmul_rate(device: torch.device, dtype: torch.dtype, runs: int = 9) -> float:
    """Floating-point operations a second of a matrix product in this dtype, measured here."""
    n = 8192 if device.type == "cuda" else 1024
    A, B = (torch.randn(n, n, device=device).to(dtype) for _ in range(2))
    found = time_in_turn({"matmul": lambda run: A @ B}, device, runs)
    return 2 * n**3 / found["matmul"]
