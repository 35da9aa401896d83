"""One schedule, two storages, compared at every step: NumPy beside torch, under the same tables.

    torchrun --nproc-per-node 2 -m walkthrough verify --tokens 256

splits the heads over two processes; with one process it is `walkthrough verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gpu import memory
from gpu.attention import make_backend
from gpu.batch import Batch, make_batch
from gpu.devices import DTYPES
from gpu.storage import storage_bytes
from gpu.verification import compare
from gpu.verification.faults import BrokenSide
from gpu.verification.ranks import Ranks
from gpu.verification.sides import NUMPY_DTYPES, NumpySide, TorchSide, owner, sampled, to_numpy
from gpu.verification.workload import Fed, Plan, PlannedStep, make_plan
from walkthrough.reference.cost import Geometry
from walkthrough.reference.work import Array

ALONE = Ranks()


@dataclass(frozen=True)
class VerifyOptions:
    """What is verified."""

    device: torch.device
    geometry: Geometry
    tokens: int
    batch: int
    dtype: str
    block_size: int
    backends: tuple[str, ...]
    layers: int
    seed: int = 0
    fault: str | None = None
    ranks: Ranks = ALONE


class Mismatch(NamedTuple):
    """Something that differs: what, and where."""

    what: str  # table, slots, K, V, output, log Σ e^score, ranks
    backend: str
    phase: str
    layer: int
    sequence: str
    head: int
    position: int
    error: float
    tolerance: float


@dataclass
class Comparison:
    """A backend in a phase: how often it was compared, and the worst of it."""

    compared: int = 0
    error: float = 0.0
    lse_error: float | None = None
    failed: bool = False


@dataclass
class Report:
    """What was found."""

    plan: Plan
    cells: dict[tuple[str, str], Comparison] = field(default_factory=dict)
    steps: int = 0
    stored: int = 0  # numbers of K and V compared bit for bit
    mismatches: list[Mismatch] = field(default_factory=list)
    ranks_error: float | None = None  # outputs of all ranks beside those of one process


ReportProgress = Callable[[int, int], None]


def verify_bytes(options: VerifyOptions) -> tuple[int, int]:
    """Bytes of all pools, those to swap to included: of torch, of NumPy."""
    g = options.geometry
    plan = make_plan(options.tokens, options.batch, options.block_size)
    blocks = plan.num_blocks + plan.host_blocks
    numbers = storage_bytes(
        blocks, plan.block_size, g.d_k, layers=options.layers, h_kv=g.h_kv, dtype=torch.uint8
    )
    of_numpy = numbers * np.dtype(NUMPY_DTYPES[options.dtype]).itemsize
    return numbers * DTYPES[options.dtype].itemsize, of_numpy


def require_memory(options: VerifyOptions) -> None:
    """Raise `NotEnoughMemoryError`, before anything is allocated, where the pools do not fit."""
    of_torch, of_numpy = verify_bytes(options)
    if options.device.type == "cpu":
        memory.require(of_torch + of_numpy, options.device)
    else:
        memory.require(of_torch, options.device)
        memory.require(of_torch + of_numpy, torch.device("cpu"))  # the pool to swap to is there


def fitting_layers(options: VerifyOptions) -> int:
    """As many of the layers as fit into four fifths of the free memory; 1 where none does."""
    of_torch, of_numpy = verify_bytes(replace(options, layers=1))
    host = memory.free_bytes(torch.device("cpu"))
    limits = [options.layers]
    if host is not None:
        limits.append(host * 4 // 5 // (of_torch + of_numpy))
    if options.device.type != "cpu":
        free = memory.free_bytes(options.device)
        limits.append(options.layers if free is None else free * 4 // 5 // of_torch)
    return max(1, min(limits))


def verify(options: VerifyOptions, progress: ReportProgress | None = None) -> Report:
    """Drive the schedule and compare at every step; the report says what differs."""
    plan = make_plan(options.tokens, options.batch, options.block_size)
    report = Report(plan)
    check = _Check(options, plan, report)
    total = sum(1 for _ in plan.steps()) * options.layers
    for step, work in enumerate(plan.steps()):
        for layer in check.step(step, work):
            if progress is not None:
                progress(step * options.layers + layer + 1, total)
        report.steps += 1
    check.everything()
    return report


class _Check:
    """Both sides, and what a step compares."""

    def __init__(self, options: VerifyOptions, plan: Plan, report: Report) -> None:
        self.options, self.plan, self.report = options, plan, report
        self.ranks, g = options.ranks, options.geometry
        backends = {name: make_backend(name) for name in options.backends}
        dtype = DTYPES[options.dtype]
        make = BrokenSide if options.fault else TorchSide
        heads = self.ranks.heads(g.h_kv)
        self.torch = make(plan, g, options.layers, dtype, options.device, heads, backends)
        if isinstance(self.torch, BrokenSide):
            self.torch.fault = options.fault or ""
        self.first = self.ranks.rank == 0
        self.numpy = NumpySide(plan, g, options.layers, options.dtype) if self.first else None
        self.alone: TorchSide | None = None
        if self.ranks.world > 1 and self.first:
            whole = slice(0, g.h_kv)
            self.alone = TorchSide(plan, g, options.layers, dtype, options.device, whole, backends)

    def step(self, step: int, work: PlannedStep) -> Iterator[int]:
        """Everything that a step does, and every comparison of it; yields each layer done."""
        for side in (self.torch, self.numpy, self.alone):
            if side is not None:
                side.move(work)
        batch = make_batch([(fed.sequence, fed.n) for fed in work.feed], self.options.device)
        self.tables(work, batch)
        mapping = [
            slot for f in work.feed for slot in f.sequence.slot_mapping(len(f.sequence) - f.n)
        ]
        slots = self.torch.storage.locate(mapping)
        found = (slots.block * self.plan.block_size + slots.offset).tolist()
        if found != mapping or not self.ranks.same(torch.tensor(mapping)):
            self.differs("slots", "-", work.feed[0], 0, 0, 0)
        touched = {slot // self.plan.block_size for slot in mapping}
        touched |= {b for _, b in (*work.copies, *work.swap_in)}
        for layer in range(self.options.layers):
            Q, K, V = self.rows(step, layer, batch.num_tokens)
            self.torch.write(layer, slots, K, V)
            if self.numpy is not None:
                self.numpy.write(layer, mapping, to_numpy(K), to_numpy(V))
            if self.alone is not None:
                self.alone.write(layer, slots, K, V)
            self.stored(layer, sorted(touched), {f.name: f for f in work.feed})
            self.outputs(layer, Q, batch, work.feed)
            yield layer

    def rows(self, step: int, layer: int, n: int) -> tuple[Tensor, Tensor, Tensor]:
        """Random Q (n, h, d_k), K and V (n, h_kv, d_k), rounded to the dtype before both sides."""
        g = self.options.geometry
        rng = np.random.default_rng([self.options.seed, step, layer])
        dtype, device = DTYPES[self.options.dtype], self.options.device
        Q, K, V = (
            torch.from_numpy(rng.standard_normal((n, heads, g.d_k), np.float32)).to(device, dtype)
            for heads in (g.h, g.h_kv, g.h_kv)
        )
        return Q, K, V

    def tables(self, work: PlannedStep, batch: Batch) -> None:
        """The device's tables and lengths against the sequences'; and the same on every rank."""
        same = self.ranks.same(batch.block_table)
        tables, lengths = batch.block_table.tolist(), batch.seq_lens.tolist()
        for i, fed in enumerate(work.feed):
            wanted = fed.sequence.block_table
            if not same or tables[i][: len(wanted)] != wanted or lengths[i] != len(fed.sequence):
                self.differs("table", "-", fed, 0, 0, 0)

    def stored(self, layer: int, blocks: SequenceOf[int], fed: dict[str, Fed]) -> None:
        """K and V of these blocks, bit for bit; slots never written hold NaN on both sides."""
        pools = [self.ranks.gather(part, 2) for part in self.torch.blocks(layer, blocks)]
        if self.numpy is None:
            return
        reference = (self.numpy.storage.K, self.numpy.storage.V)
        for name, pool, other in zip("KV", pools, reference, strict=True):
            ours, theirs = to_numpy(pool), other[layer, list(blocks)]
            self.report.stored += ours.size
            bits = f"u{ours.itemsize}"  # so that NaN equals NaN, and −0 is not 0
            if (different := ours.view(bits) != theirs.view(bits)).any():
                index, offset, head, _ = (int(i) for i in np.argwhere(different)[0])
                tables = {name: one.sequence for name, one in fed.items()}
                whose, logical = owner(tables, blocks[index])
                gap = float(np.nan_to_num(np.abs(ours - theirs), nan=np.inf)[different].max())
                position = logical * self.plan.block_size + offset
                phase = fed[whose].phase if whose in fed else "-"
                self.report.mismatches.append(
                    Mismatch(name, "-", phase, layer, whose, head, position, gap, 0.0)
                )

    def outputs(self, layer: int, Q: Tensor, batch: Batch, feed: SequenceOf[Fed]) -> None:
        """Every backend's outputs against float64, each phase in a cell of its own."""
        rows = [sampled(fed.n) for fed in feed]
        references: list[tuple[Array, Array]] = []
        if self.numpy is not None:
            queries = to_numpy(Q)
            references = [
                self.numpy.attend(layer, fed, queries[[start + row for row in some]], some)
                for fed, some, start in zip(feed, rows, batch.starts[:-1], strict=True)
            ]
        for name in self.options.backends:
            out, lse = self.torch.attend(name, layer, Q, batch)
            out = self.ranks.gather(out, 1)
            lse = None if lse is None else self.ranks.gather(lse, 1)
            if self.alone is not None:
                self.beside_one(
                    name, layer, batch, feed, out, self.alone.attend(name, layer, Q, batch)[0]
                )
            if not self.first:
                continue
            ours, sums = to_numpy(out), None if lse is None else to_numpy(lse)
            for fed, some, start, (wanted, log_sum) in zip(
                feed, rows, batch.starts[:-1], references, strict=True
            ):
                index = [start + row for row in some]
                self.one(name, layer, fed, some, ours[index], wanted, None)
                if sums is not None:
                    self.one(name, layer, fed, some, sums[index], log_sum, compare.LSE_TOLERANCE)

    def one(
        self,
        name: str,
        layer: int,
        fed: Fed,
        rows: list[int],
        ours: Array,
        reference: Array,
        lse_tolerance: float | None,
    ) -> None:
        """One sequence's outputs, or its log Σ e^score, in its cell."""
        cell = self.report.cells.setdefault((name, fed.phase), Comparison())
        starts = [0, len(rows)]
        if lse_tolerance is None:
            what, tolerance = "output", compare.TOLERANCES[self.options.dtype]
            worst = compare.worst_output(ours, reference, starts)
            cell.error = max(cell.error, worst.error)
            cell.compared += len(rows)
        else:
            what, tolerance = "log Σ e^score", lse_tolerance
            worst = compare.worst_log_sum(ours, reference, starts)
            cell.lse_error = max(cell.lse_error or 0.0, worst.error)
        if not worst.error <= tolerance:
            cell.failed = True
            row = rows[worst.row]
            self.differs(what, name, fed, layer, worst.head, row, worst.error, tolerance)

    def beside_one(
        self,
        name: str,
        layer: int,
        batch: Batch,
        feed: SequenceOf[Fed],
        ours: Tensor,
        alone: Tensor,
    ) -> None:
        """The outputs of all ranks beside those of one process that keeps all heads."""
        worst = compare.worst_output(to_numpy(ours), to_numpy(alone), batch.starts)
        self.report.ranks_error = max(self.report.ranks_error or 0.0, worst.error)
        tolerance = compare.TOLERANCES[self.options.dtype]
        if not worst.error <= tolerance:
            fed = feed[worst.sequence]
            self.differs("ranks", name, fed, layer, worst.head, worst.row, worst.error, tolerance)

    def differs(
        self,
        what: str,
        backend: str,
        fed: Fed,
        layer: int,
        head: int,
        row: int,
        error: float = float("inf"),
        tolerance: float = 0.0,
    ) -> None:
        """Note a mismatch of row `row` of what was fed."""
        position = len(fed.sequence) - fed.n + row
        self.report.mismatches.append(
            Mismatch(what, backend, fed.phase, layer, fed.name, head, position, error, tolerance)
        )

    def everything(self) -> None:
        """At the end, all of both pools once more."""
        for layer in range(self.options.layers):
            for start in range(0, self.plan.num_blocks, 64):
                end = min(start + 64, self.plan.num_blocks)
                self.stored(layer, range(start, end), {})
