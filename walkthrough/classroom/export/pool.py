"""A filmed block pool as a figure of a page: the strip of its blocks and what happens to them.

The page's script plays the frames; without it the figure shows how things stand at the end, and
the events as a list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from walkthrough.classroom import film_words
from walkthrough.classroom.export.words import WORDS
from walkthrough.classroom.film import Block, Film, Frame

MOST_FRAMES, MOST_BLOCKS = 200, 100  # more in one go is a measurement, not something to watch


@dataclass(frozen=True)
class Figure:
    """What the template draws."""

    title: str
    blocks_label: str
    blocks: list[tuple[int, Block]]  # at the end, by number
    rest: str  # what is said about the blocks behind them
    events: list[str]  # sentences
    before: str  # JSON: [state, ref_cnt, filled] by block
    frames: str  # JSON: [block, other or null, kind, state, ref_cnt, filled] by event


@dataclass
class Projector:
    """Turns the frames of a lesson into figures, in order: it knows how the pools stood before."""

    language: str
    ends: dict[Film, int]  # the highest block that the lesson ever uses
    _pools: dict[Film, dict[int, Block]] = field(default_factory=dict)

    @classmethod
    def of(cls, frames: Iterable[Frame], language: str) -> Projector:
        """For all the frames of a lesson."""
        ends: dict[Film, int] = {}
        for frame in frames:
            ends[frame.film] = max(ends.get(frame.film, 0), frame.event.block)
        return cls(language, ends)

    def figures(self, frames: Iterable[Frame]) -> list[Figure]:
        """A figure for each pool to which something happened here."""
        by_film: dict[Film, list[Frame]] = {}
        for frame in frames:
            by_film.setdefault(frame.film, []).append(frame)
        figures = [self._figure(film, those) for film, those in by_film.items()]
        return [
            figure
            for figure in figures
            if len(figure.events) <= MOST_FRAMES and len(figure.blocks) <= MOST_BLOCKS
        ]

    def _figure(self, film: Film, frames: list[Frame]) -> Figure:
        words, end = WORDS[self.language], self.ends[film]
        pool = self._pools.setdefault(film, {0: Block("null")})
        before = [pool.get(i, Block()) for i in range(end + 1)]
        for frame in frames:
            pool[frame.event.block] = frame.block
        last = film.num_blocks - 1
        return Figure(
            title=words["pool"].format(number=film.number, count=len(frames)),
            blocks_label=words["pool.blocks"].format(number=film.number),
            blocks=[(i, pool.get(i, Block())) for i in range(end + 1)],
            rest=film_words.rest(end + 1, last, self.language) if end < last else "",
            events=[film_words.describe(f.event, f.state, self.language) for f in frames],
            before=json.dumps([[b.state, b.ref_cnt, b.filled] for b in before]),
            frames=json.dumps(
                [
                    [f.event.block, f.event.other if f.event.kind == "copied" else None,
                     f.event.kind, f.state, f.ref_cnt, f.filled]
                    for f in frames
                ]
            ),
        )  # fmt: skip
