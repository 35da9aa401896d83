"""A schedule in which everything happens to blocks that can happen, through the real scheduler.

Prompts in chunks, a prefix that is found again, decoding, a fork that writes into a shared block,
and a pool so small that a request is swapped out and comes back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.scheduler import Request, Scheduler
from walkthrough.paging.sequence import Copy, Sequence

Phase = Literal["prefill", "prefix hit", "decode", "fork", "swapped"]
PHASES: tuple[Phase, ...] = ("prefill", "prefix hit", "decode", "fork", "swapped")
NEW_TOKENS = 8  # a request generates


class ScheduleError(ValueError):
    """The sizes leave no room for such a schedule."""


@dataclass(frozen=True)
class Fed:
    """The last n tokens of a sequence, which are computed in this step."""

    name: str
    sequence: Sequence
    n: int
    phase: Phase


@dataclass
class PlannedStep:
    """A step as the storage sees it, in this order: copy, swap out, swap in, then feed."""

    copies: list[Copy] = field(default_factory=list)  # (pool, pool)
    swap_out: list[Copy] = field(default_factory=list)  # (pool, host)
    swap_in: list[Copy] = field(default_factory=list)  # (host, pool)
    feed: list[Fed] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """Prompts and the sizes of the pools; `steps` runs it, the same way each time."""

    prompts: tuple[tuple[int, ...], ...]
    block_size: int
    token_budget: int
    num_blocks: int
    host_blocks: int

    def steps(self) -> Iterator[PlannedStep]:
        """Every step, once its blocks are taken; the next is decided when this one is done."""
        pool = BlockPool(self.num_blocks)
        scheduler = Scheduler(
            pool,
            self.block_size,
            token_budget=self.token_budget,
            prefix_cache=PrefixCache(pool, self.block_size),
            host=BlockPool(self.host_blocks),
        )
        for i, prompt in enumerate(self.prompts):
            scheduler.submit(f"s{i}", prompt, NEW_TOKENS)
        fork, fed_before, away = Fork(), set[str](), set[str]()
        while scheduler.waiting or scheduler.running:
            work = PlannedStep()
            fork.grow(scheduler, work)  # between two steps, when every row is written
            step = scheduler.schedule()
            work.swap_out, work.swap_in = step.swap_out, step.swap_in
            away |= {request.name for request in step.preempted}
            for request, token_ids in step.feed:
                work.feed.append(_fed(request, len(token_ids), fed_before, away))
            if work.feed:
                yield work
            fork.end_step()
            for request, _ in step.feed:
                assert request.sequence is not None
                done = len(request.sequence) >= len(request.token_ids)
                scheduler.advance(request, len(request.output) + 7 if done else None)


def _fed(request: Request, n: int, fed_before: set[str], away: set[str]) -> Fed:
    sequence, name = request.sequence, request.name
    assert sequence is not None
    phase: Phase = "decode" if request.output else "prefill"
    if name in away:
        phase = "swapped"
        away.discard(name)
    elif name not in fed_before and len(sequence) > n:
        phase = "prefix hit"
    fed_before.add(name)
    return Fed(name, sequence, n, phase)


class Fork:
    """A child of the oldest request: writes into the block they share, lives on a bit, ends."""

    def __init__(self) -> None:
        self.sequence: Sequence | None = None
        self.left = 3  # tokens it is still going to add

    def grow(self, scheduler: Scheduler, work: PlannedStep) -> None:
        """Fork from a request that decodes inside a block; then a token more at every step."""
        if not self.left:
            return
        if self.sequence is None:
            parents = [
                request.sequence
                for request in scheduler.running
                if request.output and request.sequence is not None
            ]
            parents = [parent for parent in parents if len(parent) % parent.block_size]
            if not parents:
                return
            self.sequence = parents[0].fork()
        try:
            work.copies += self.sequence.append([-self.left])
        except OutOfBlocksError:
            self.left = 0
            self.end_step()
            return
        self.left -= 1
        work.feed.append(Fed("fork", self.sequence, 1, "fork"))

    def end_step(self) -> None:
        """Give the blocks back once the last token is computed."""
        if not self.left and self.sequence is not None:
            self.sequence.free()
            self.sequence = None


@cache
def make_plan(tokens: int, batch: int, block_size: int, chunk: int = 512) -> Plan:
    """A plan whose longest request has up to `tokens` tokens, in which every phase happens.

    The pool is the largest in which somebody has to be swapped out. Raises `ScheduleError` where
    the sizes leave no room for that.
    """
    # Prompts end two slots before a block's end, so that all need a new block at about one time.
    longest = (tokens - NEW_TOKENS + 2) // block_size * block_size - 2
    if batch < 2 or longest < 2 * block_size:
        raise ScheduleError(f"{tokens} tokens, batch {batch}, block size {block_size}")
    lengths = [longest, *(max(longest // 2, 2 * block_size - 2) for _ in range(batch - 1))]
    lengths = [(length + 2) // block_size * block_size - 2 for length in lengths]
    common = longest // 4 // block_size * block_size or block_size  # they all begin alike
    prompts = tuple(
        tuple(range(common)) + tuple(range(1000 * (i + 1), 1000 * (i + 1) + length - common))
        for i, length in enumerate(lengths)
    )
    most = sum(-(-(length + NEW_TOKENS) // block_size) for length in lengths) + 2
    least = -(-(longest + NEW_TOKENS) // block_size) + 1
    budget = min(chunk, max(longest // 3, 1))

    def plan(num_blocks: int) -> Plan:
        return Plan(prompts, block_size, budget, num_blocks, most)

    sizes = range(least, most + 1)
    # Up to some size somebody is swapped out; beyond it, nobody.
    enough = bisect_left(sizes, True, key=lambda size: not happens(plan(size))["swapped"])
    for num_blocks in reversed(sizes[max(0, enough - 8) : enough]):
        if all(happens(plan(num_blocks)).values()):
            return plan(num_blocks)
    raise ScheduleError(f"{tokens} tokens, batch {batch}, block size {block_size}")


def happens(plan: Plan) -> dict[str, bool]:
    """Which phases, and a copy-on-write, a plan really has: run without a tensor."""
    found: dict[str, bool] = dict.fromkeys([*PHASES, "copy"], False)
    for work in plan.steps():
        found["copy"] |= bool(work.copies)
        for fed in work.feed:
            found[fed.phase] = True
    return found
