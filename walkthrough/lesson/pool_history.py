"""A lesson's film cut into what each of its statements, or pieces, did to each pool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

from walkthrough.lesson.pool_events import Block, Film, Frame
from walkthrough.lesson.recording import Example, Step


@dataclass(frozen=True)
class Filmed:
    """A part of a pool's film: how its blocks stood before, then the events."""

    film: Film
    before: tuple[Block, ...]  # the blocks that the lesson ever uses
    slots: int  # the most that the lesson ever fills of a block
    frames: tuple[Frame, ...]

    def after(self, events: int) -> list[Block]:
        """The blocks after so many of the events."""
        blocks = list(self.before)
        for frame in self.frames[:events]:
            blocks[frame.event.block] = frame.block
        return blocks

    def groups(self) -> list[int]:
        """How many events of one kind come one after the other: 5 allocated, 5 written."""
        return [len(list(group)) for _, group in groupby(self.frames, lambda f: f.event.kind)]


@dataclass
class Projector:
    """Cuts the film of a whole lesson, in order: it knows how the pools stood before."""

    ends: dict[Film, int]  # the highest block that the lesson ever uses
    slots: dict[Film, int]
    _pools: dict[Film, list[Block]] = field(default_factory=dict)

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Projector:
        """For all the frames of a lesson."""
        ends: dict[Film, int] = {}
        slots: dict[Film, int] = {}
        for step in steps:
            for item in step.items:
                for frame in item.frames if isinstance(item, Example) else ():
                    film, block = frame.film, frame.event.block
                    ends[film] = max(ends.get(film, 0), block)
                    slots[film] = max(slots.get(film, 1), frame.filled)
        return cls(ends, slots)

    def cut(self, frames: Iterable[Frame]) -> list[Filmed]:
        """What happened to each pool in these frames, which come next."""
        by_film: dict[Film, list[Frame]] = {}
        for frame in frames:
            by_film.setdefault(frame.film, []).append(frame)
        found = []
        for film, those in by_film.items():
            start = [Block("null"), *[Block()] * self.ends[film]]
            before = self._pools.get(film, start)
            filmed = Filmed(film, tuple(before), self.slots[film], tuple(those))
            self._pools[film] = filmed.after(len(those))
            found.append(filmed)
        return found
