"""Serving a saturated queue, step by step: every running request gets a token in each.

First come, first served. Only lengths are followed, nothing is computed: how the memory is
used does not depend on the numbers in it. Where a paged memory runs out, the youngest request
is preempted and waits in front, to be computed again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from walkthrough.serving.memory import Memory, Running
from walkthrough.serving.workloads import Lengths


@dataclass
class Outcome:
    """Means over the steps in which more requests wait than fit."""

    steps: int = 0
    tokens: float = 0  # shares of all slots, 0 to 1
    reserved: float = 0
    internal: float = 0
    other: float = 0
    batch: float = 0  # requests at a time
    blocks_saved: float = 0  # of the blocks that would be in use without sharing
    refused: int = 0  # requests that would not fit alone
    preempted: int = 0

    @property
    def shares(self) -> dict[str, float]:
        """The four shares of the slots, by name."""
        return {
            "tokens": self.tokens,
            "reserved": self.reserved,
            "internal": self.internal,
            "other": self.other,
        }


def serve_queue(
    requests: Sequence[Lengths], memory: Memory, advance: Callable[[], None] = lambda: None
) -> Outcome:
    """Serve them all; `advance` is called once for each that is done with."""
    outcome = Outcome()
    waiting: deque[Running] = deque()
    for number, lengths in enumerate(requests):
        if memory.fits(lengths):
            waiting.append(Running(lengths, number, lengths.prompt))
        else:
            outcome.refused += 1
            advance()
    running: list[Running] = []
    sums, named, used = [0, 0, 0, 0, 0], 0, 0
    while waiting or running:
        while waiting and memory.start(waiting[0]):
            running.append(waiting.popleft())
        if waiting:  # the memory is full: count this step
            slots = memory.slots()
            now = (slots.tokens, slots.reserved, slots.internal, slots.other, len(running))
            sums = [a + b for a, b in zip(sums, now, strict=True)]
            tables, blocks = memory.blocks()
            named, used = named + tables, used + blocks
            outcome.steps += 1
        _step(running, waiting, memory, outcome, advance)
    if outcome.steps:
        capacity = sum(sums[:4]) or 1
        shares = [share / capacity for share in sums[:4]]
        outcome.tokens, outcome.reserved, outcome.internal, outcome.other = shares
        outcome.batch = sums[4] / outcome.steps
        outcome.blocks_saved = 1 - used / named if named else 0
    return outcome


def _step(
    running: list[Running],
    waiting: deque[Running],
    memory: Memory,
    outcome: Outcome,
    advance: Callable[[], None],
) -> None:
    """One token for each running request, the oldest first; those that are complete leave."""
    place = 0
    while place < len(running):
        request = running[place]
        if request.stored == request.lengths.stored:
            memory.stop(request)
            del running[place]
            advance()
        elif memory.grow(request):
            request.stored += 1
            place += 1
        else:
            youngest = running.pop()
            memory.stop(youngest)
            waiting.appendleft(youngest)
            outcome.preempted += 1
