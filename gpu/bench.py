"""Decode and prefill, paged beside contiguous: every backend in one run, over the same numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from gpu import memory
from gpu.attention import Backend, make_backend
from gpu.attention.flex import Flex
from gpu.attention.gather import Gather
from gpu.batch import Batch, from_table
from gpu.devices import DTYPES
from gpu.storage import Layout, PagedStorage
from gpu.timing import (
    Job,
    as_graph,
    copies_past_the_cache,
    copy_bandwidth,
    matmul_rate,
    time_in_turn,
)
from walkthrough.reference.cost import Geometry

CONTIGUOUS = "contiguous"


@dataclass(frozen=True)
class BenchOptions:
    """What is timed: one layer of a geometry."""

    device: torch.device
    geometry: Geometry
    tokens: int
    batch: int
    dtype: str
    block_size: int
    backends: tuple[str, ...]
    runs: int


@dataclass(frozen=True)
class BenchRow:
    """One backend in one phase."""

    phase: str  # decode, prefill
    backend: str
    seconds: float
    relative: float  # to contiguous: 1 is as fast, 0.5 takes half its time
    bytes_per_second: float | None  # decode: K and V, read once
    flops_per_second: float | None  # prefill
    share: float  # of the copy bandwidth, or of the matrix rate
    graph: bool  # replayed as a CUDA graph


@dataclass(frozen=True)
class BenchResult:
    """All rows, and what the device does at its best."""

    copy_bytes_per_second: float
    matmul_flops_per_second: float
    sets: int  # of inputs, rotated
    rows: list[BenchRow]

    def as_json(self) -> dict[str, object]:
        """Plain numbers and lists."""
        return asdict(self)


@dataclass(frozen=True)
class _Inputs:
    """One set of inputs: the pools, and the same rows side by side."""

    Q: Tensor  # (n, h, d_k)
    storage: PagedStorage
    batch: Batch
    K: Tensor  # (batch, h_kv, m, d_k)
    V: Tensor


def bench_bytes(options: BenchOptions, batch: int) -> int:
    """Bytes of all sets of inputs: pools, and the same again side by side."""
    one = _kv_bytes(options, batch)
    return 2 * one * copies_past_the_cache(one)


def bench(options: BenchOptions, progress: Callable[[str], None] | None = None) -> BenchResult:
    """Time every backend; raises `NotEnoughMemoryError` before anything is allocated."""
    memory.require(bench_bytes(options, options.batch), options.device)
    say = progress or (lambda text: None)
    dtype = DTYPES[options.dtype]
    say("copy, matmul")
    copy = copy_bandwidth(options.device)
    matmul = matmul_rate(options.device, dtype)
    rows: list[BenchRow] = []
    sets = copies_past_the_cache(_kv_bytes(options, options.batch))
    for phase, batch in (("decode", options.batch), ("prefill", 1)):
        say(phase)
        many = copies_past_the_cache(_kv_bytes(options, batch)) if phase == "decode" else 1
        inputs = [_inputs(options, phase, batch, seed) for seed in range(many)]
        graph = phase == "decode" and batch == 1 and options.device.type == "cuda"
        jobs = _jobs(options, phase, inputs, graph)
        found = time_in_turn(jobs, options.device, options.runs)
        work = _kv_bytes(options, batch) if phase == "decode" else _flops(options)
        best = copy if phase == "decode" else matmul
        for name, seconds in found.items():
            rate = work / seconds
            rows.append(
                BenchRow(
                    phase,
                    name,
                    seconds,
                    seconds / found[CONTIGUOUS],
                    rate if phase == "decode" else None,
                    rate if phase == "prefill" else None,
                    rate / best,
                    graph and name != "flex",
                )
            )
        del inputs, jobs
    return BenchResult(copy, matmul, sets, rows)


def _kv_bytes(options: BenchOptions, batch: int) -> int:
    g = options.geometry
    return 2 * batch * options.tokens * g.h_kv * g.d_k * DTYPES[options.dtype].itemsize


def _flops(options: BenchOptions) -> int:
    """Multiplications and additions of causal attention over a whole prompt, half of the square."""
    g = options.geometry
    return 2 * options.tokens * (options.tokens + 1) * g.h * g.d_k


def _inputs(options: BenchOptions, phase: str, batch: int, seed: int) -> _Inputs:
    g, dtype, device = options.geometry, DTYPES[options.dtype], options.device
    generator = torch.Generator(device).manual_seed(seed)
    blocks = -(-options.tokens // options.block_size)
    layout: Layout = "NHD" if device.type == "cuda" else "HND"
    storage = PagedStorage(
        batch * blocks + 1,
        options.block_size,
        g.d_k,
        h_kv=g.h_kv,
        dtype=dtype,
        device=device,
        layout=layout,
        fill=0,  # flex reads unused slots
    )
    storage.K.normal_(generator=generator)
    storage.V.normal_(generator=generator)
    order = torch.randperm(batch * blocks, generator=torch.Generator().manual_seed(seed)) + 1
    table = order.view(batch, blocks).int()
    n = 1 if phase == "decode" else options.tokens
    lengths = [options.tokens] * batch
    side = [
        pool[0][table.to(device).long()].flatten(1, 2)[:, : options.tokens].transpose(1, 2)
        for pool in (storage.K, storage.V)
    ]
    Q = torch.randn(batch * n, g.h, g.d_k, device=device, generator=generator).to(dtype)
    made = from_table(table, lengths, [n] * batch, device=device)
    return _Inputs(Q, storage, made, side[0].contiguous(), side[1].contiguous())


def _jobs(options: BenchOptions, phase: str, inputs: list[_Inputs], graph: bool) -> dict[str, Job]:
    """Contiguous attention first, then each backend, over the same inputs in turn."""
    count = len(inputs)

    def contiguous(run: int) -> Tensor:
        one = inputs[run % count]
        batch = len(one.K)
        queries = one.Q.view(batch, -1, *one.Q.shape[1:]).transpose(1, 2)  # (b, h, n, d_k)
        return scaled_dot_product_attention(
            queries, one.K, one.V, is_causal=phase == "prefill", enable_gqa=True
        )

    def paged(run: int, backend: Backend) -> Tensor:
        one = inputs[run % count]
        return backend.attend(one.Q, one.storage.K[0], one.storage.V[0], one.batch, False)[0]

    jobs: dict[str, Job] = {CONTIGUOUS: contiguous}
    for name in options.backends:
        backend: Backend = make_backend(name) if name != "flex" else Flex(finite=True)

        def job(run: int, backend: Backend = backend) -> Tensor:
            return paged(run, backend)

        jobs[name] = job
        if name == "gather":

            def fresh(run: int) -> Tensor:
                return paged(run, Gather())  # as long as it is new, it pays for memory

            jobs["gather, fresh memory"] = fresh
    if graph:  # flex builds its block mask on the host, which a graph cannot replay
        return {n: j if n == "flex" else as_graph(j, count) for n, j in jobs.items()}
    return jobs
