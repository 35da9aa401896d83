"""What happens to every block pool that a lesson makes: its events, each with what it led to.

A page plays them and a presenter steps through them; neither works out a state of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool
from walkthrough.paging.events import Event, pool_made

BlockState = Literal["null", "free", "cached", "used", "shared"]


@dataclass(frozen=True)
class RecordedPool:
    """A pool that was made while a recorder listened; `number` counts them from 1."""

    number: int
    num_blocks: int


@dataclass(frozen=True)
class BlockStatus:
    """How a block stands: its state, its reference count and its filled slots."""

    state: BlockState = "free"
    ref_cnt: int = 0
    filled: int = 0


@dataclass(frozen=True)
class PoolEvent:
    """An event, and the block of the event right after it.

    `filled` is how many slots of the block were written, as far as the events tell.
    """

    pool: RecordedPool
    event: Event
    ref_cnt: int
    state: BlockState
    filled: int

    @property
    def block(self) -> BlockStatus:
        """How the block of the event stands."""
        return BlockStatus(self.state, self.ref_cnt, self.filled)


MOST_EVENTS = 20_000  # of all pools: a lesson that simulates hours is not kept event by event


class PoolRecorder:
    """Keeps the events of all pools made while it listens, `most_events` in all."""

    def __init__(self, most_events: int = MOST_EVENTS) -> None:
        self._events: list[PoolEvent] = []
        self._left = most_events
        self._count = 0

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Pools made inside are recorded from then on, also after this block."""
        before = pool_made.set(self._listen_to)
        try:
            yield
        finally:
            pool_made.reset(before)

    def take(self) -> tuple[PoolEvent, ...]:
        """The events since the last time."""
        events, self._events = tuple(self._events), []
        return events

    def _listen_to(self, pool: BlockPool) -> None:
        self._count += 1
        recorded, filled = RecordedPool(self._count, pool.num_blocks), [0] * pool.num_blocks

        def listen(event: Event) -> None:
            if self._left:
                self._left -= 1
                self._events.append(_after(recorded, pool, filled, event))
            else:  # a list of its own: the pool may be going through the old one
                pool.listeners = [other for other in pool.listeners if other is not listen]

        if self._left:
            pool.listeners.append(listen)


def _after(recorded: RecordedPool, pool: BlockPool, filled: list[int], event: Event) -> PoolEvent:
    """The event with its block after it; `filled`, the written slots by block, is kept up."""
    block = event.block
    state = block_state(pool, block)
    if event.kind == "written" and event.other is not None:
        filled[block] = event.other
    elif event.kind == "copied" and event.other is not None:
        filled[block] = filled[event.other]
    elif event.kind == "allocated" or state == "free":
        filled[block] = 0
    return PoolEvent(recorded, event, pool.ref_cnt[block], state, filled[block])


def block_state(pool: BlockPool, block: int) -> BlockState:
    """How a block of a pool stands now."""
    if block == NULL_BLOCK:
        return "null"
    if count := pool.ref_cnt[block]:
        return "used" if count == 1 else "shared"
    return "free" if pool.block_hash[block] is None else "cached"
