"""Every block pool that a lesson makes, filmed: its events, each with what it led to.

A page plays the film and a presenter steps through it; neither works out a state of its own.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool
from walkthrough.paging.events import Event, pool_made

State = Literal["null", "free", "cached", "used", "shared"]


@dataclass(frozen=True)
class Film:
    """A pool that was made while filming; `number` counts them from 1."""

    number: int
    num_blocks: int


@dataclass(frozen=True)
class Block:
    """How a block stands: its state, its reference count and its filled slots."""

    state: State = "free"
    ref_cnt: int = 0
    filled: int = 0


@dataclass(frozen=True)
class Frame:
    """An event, and the block of the event right after it.

    `filled` is how many slots of the block were written, as far as the events tell.
    """

    film: Film
    event: Event
    ref_cnt: int
    state: State
    filled: int

    @property
    def block(self) -> Block:
        """How the block of the event stands."""
        return Block(self.state, self.ref_cnt, self.filled)


MOST_FRAMES = 20_000  # of all pools: a lesson that simulates hours is not kept event by event


class Camera:
    """Films all pools made while it rolls, until the film is used up."""

    def __init__(self, most_frames: int = MOST_FRAMES) -> None:
        self._frames: list[Frame] = []
        self._left = most_frames
        self._count = 0

    @contextlib.contextmanager
    def rolling(self) -> Iterator[None]:
        """Pools made inside are filmed from then on, also after this block."""
        before = pool_made.set(self._film)
        try:
            yield
        finally:
            pool_made.reset(before)

    def take(self) -> tuple[Frame, ...]:
        """The frames since the last time."""
        frames, self._frames = tuple(self._frames), []
        return frames

    def _film(self, pool: BlockPool) -> None:
        self._count += 1
        film, filled = Film(self._count, pool.num_blocks), [0] * pool.num_blocks

        def listen(event: Event) -> None:
            if self._left:
                self._left -= 1
                self._frames.append(_expose(film, pool, filled, event))
            else:  # a list of its own: the pool may be going through the old one
                pool.listeners = [other for other in pool.listeners if other is not listen]

        if self._left:
            pool.listeners.append(listen)


def _expose(film: Film, pool: BlockPool, filled: list[int], event: Event) -> Frame:
    """A frame; `filled` has the written slots of each block and is kept up."""
    block = event.block
    state = block_state(pool, block)
    if event.kind == "written" and event.other is not None:
        filled[block] = event.other
    elif event.kind == "copied" and event.other is not None:
        filled[block] = filled[event.other]
    elif event.kind == "allocated" or state == "free":
        filled[block] = 0
    return Frame(film, event, pool.ref_cnt[block], state, filled[block])


def block_state(pool: BlockPool, block: int) -> State:
    """How a block of a pool stands now."""
    if block == NULL_BLOCK:
        return "null"
    if count := pool.ref_cnt[block]:
        return "used" if count == 1 else "shared"
    return "free" if pool.block_hash[block] is None else "cached"
