"""What happens to every block pool that a lesson makes: its events, each with what it led to.

A page plays them and a presenter steps through them; neither works out a state of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from walkthrough.lesson.pool_sequences import RecordedSequence, SequenceState, SequenceView, follow
from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool
from walkthrough.paging.events import Event, pool_made, sequence_made
from walkthrough.paging.sequence import Sequence

BlockState = Literal["null", "free", "cached", "used", "shared"]


@dataclass(eq=False)
class RecordedPool:
    """A pool that was made while a recorder listened; `number` counts them from 1."""

    number: int
    num_blocks: int
    name: str = ""  # what the lesson calls it
    texts: tuple[str, ...] = ()  # of tokens, by id


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
    who: RecordedSequence | None = None  # whose doing it was
    sequences: SequenceView = field(
        default_factory=dict
    )  # how all stand after it, if it is to be watched

    @property
    def block(self) -> BlockStatus:
        """How the block of the event stands."""
        return BlockStatus(self.state, self.ref_cnt, self.filled)


MOST_WATCHED = 200  # events of a pool in one statement: more is a measurement
MOST_EVENTS = 20_000  # of all pools: a lesson that simulates hours is not kept event by event


class PoolRecorder:
    """Keeps the events of all pools made while it listens, `most_events` in all."""

    def __init__(self, most_events: int = MOST_EVENTS) -> None:
        self._events: list[PoolEvent] = []
        self._left = most_events
        self._pools: dict[int, tuple[BlockPool, RecordedPool]] = {}
        self._sequences: dict[int, list[tuple[RecordedSequence, Sequence]]] = {}  # by pool
        self._views: dict[RecordedPool, list[SequenceView]] = {}  # one for each event since `take`

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Pools made inside are recorded from then on, also after this block."""
        pools, sequences = pool_made.set(self._listen_to), sequence_made.set(self._follow)
        try:
            yield
        finally:
            pool_made.reset(pools)
            sequence_made.reset(sequences)

    def take(self) -> tuple[PoolEvent, ...]:
        """The events since the last time."""
        for pool, recorded in self._pools.values():
            views = self._views.pop(recorded, [])
            places = [i for i, event in enumerate(self._events) if event.pool is recorded]
            if views and len(places) == len(views):
                events = [self._events[i].event for i in places]
                after = follow(events, [*views, self._view(pool)])
                for i, (who, sequences) in zip(places, after, strict=True):
                    self._events[i] = replace(self._events[i], who=who, sequences=sequences)
        taken, self._events = tuple(self._events), []
        return taken

    def name(self, names: Mapping[str, Any], texts: tuple[str, ...] = ()) -> None:
        """Take it that the lesson calls sequences, caches over them, and pools by these names."""
        for name, value in names.items():
            sequence = getattr(value, "sequence", value)
            if isinstance(value, dict) and len(value) < 50:
                self.name({key: each for key, each in value.items() if isinstance(key, str)})
            elif isinstance(sequence, Sequence):
                for recorded, each in self._sequences.get(id(sequence.pool), ()):
                    if each is sequence and not name.startswith("_"):
                        recorded.name = recorded.name or name
            elif isinstance(value, BlockPool) and (found := self._pools.get(id(value))):
                found[1].name = found[1].name or name
        for _, pool in self._pools.values():
            pool.texts = pool.texts or texts

    def _view(self, pool: BlockPool) -> SequenceView:
        return {
            recorded: SequenceState(tuple(each.token_ids), tuple(each.block_table))
            for recorded, each in self._sequences.get(id(pool), ())
        }

    def _follow(self, sequence: Sequence) -> None:
        if id(sequence.pool) in self._pools:
            known = self._sequences.setdefault(id(sequence.pool), [])
            if len(known) >= MOST_WATCHED:  # nobody will tell them apart
                return
            known.append((RecordedSequence(len(known) + 1, sequence.block_size), sequence))

    def _listen_to(self, pool: BlockPool) -> None:
        filled = [0] * pool.num_blocks
        recorded = RecordedPool(len(self._pools) + 1, pool.num_blocks)
        self._pools[id(pool)] = pool, recorded  # which keeps it alive, and its id its own

        def listen(event: Event) -> None:
            if self._left:
                self._left -= 1
                views = self._views.setdefault(recorded, [])
                if len(views) < MOST_WATCHED:
                    views.append(self._view(pool))
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
