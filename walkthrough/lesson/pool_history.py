"""The events of a lesson's pools, cut into what each of its statements, or pieces, did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from walkthrough.lesson.pool_events import BlockStatus, PoolEvent, RecordedPool
from walkthrough.lesson.recording import RecordedStep, Statement


@dataclass(frozen=True)
class PoolHistory:
    """A part of a pool's history: how its blocks stood before, then the events."""

    pool: RecordedPool
    before: tuple[BlockStatus, ...]  # the blocks that the lesson ever uses
    slots: int  # the most that the lesson ever fills of a block
    events: tuple[PoolEvent, ...]

    def after(self, count: int) -> list[BlockStatus]:
        """The blocks after so many of the events."""
        blocks = list(self.before)
        for pool_event in self.events[:count]:
            blocks[pool_event.event.block] = pool_event.block
        return blocks

    def groups(self) -> list[int]:
        """How many events of one kind come one after the other: 5 allocated, 5 written."""
        return [len(list(group)) for _, group in groupby(self.events, lambda each: each.event.kind)]


@dataclass
class HistoryReader:
    """Cuts the events of a whole lesson, in order: it knows how the pools stood before."""

    ends: dict[RecordedPool, int]  # the highest block that the lesson ever uses
    slots: dict[RecordedPool, int]
    _pools: dict[RecordedPool, list[BlockStatus]] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Iterable[RecordedStep]) -> HistoryReader:
        """For all the events of a lesson."""
        ends: dict[RecordedPool, int] = {}
        slots: dict[RecordedPool, int] = {}
        for step in steps:
            for item in step.items:
                for pool_event in item.pool_events if isinstance(item, Statement) else ():
                    pool, block = pool_event.pool, pool_event.event.block
                    ends[pool] = max(ends.get(pool, 0), block)
                    slots[pool] = max(slots.get(pool, 1), pool_event.filled)
        return cls(ends, slots)

    def cut(self, pool_events: Iterable[PoolEvent]) -> list[PoolHistory]:
        """What happened to each pool in these events, which come next."""
        by_pool: dict[RecordedPool, list[PoolEvent]] = {}
        for pool_event in pool_events:
            by_pool.setdefault(pool_event.pool, []).append(pool_event)
        found = []
        for pool, those in by_pool.items():
            start = [BlockStatus("null"), *[BlockStatus()] * self.ends[pool]]
            before = self._pools.get(pool, start)
            history = PoolHistory(pool, tuple(before), self.slots[pool], tuple(those))
            self._pools[pool] = history.after(len(those))
            found.append(history)
        return found
