"""A filmed block pool as a figure of a page: the strip of its blocks and what happens to them.

The page's script plays the frames; without it the figure shows how things stand at the end, and
the events as a list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from walkthrough.export.words import WORDS
from walkthrough.lesson import pool_sentences as film_words
from walkthrough.lesson.pool_events import Block
from walkthrough.lesson.pool_history import Filmed

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


def figures(cuts: Iterable[Filmed], language: str) -> list[Figure]:
    """A figure for each pool to which something happened, unless it is too much to watch."""
    return [
        _figure(filmed, language)
        for filmed in cuts
        if len(filmed.frames) <= MOST_FRAMES and len(filmed.before) <= MOST_BLOCKS
    ]


def _figure(filmed: Filmed, language: str) -> Figure:
    words, film, frames = WORDS[language], filmed.film, filmed.frames
    rest, last = len(filmed.before), film.num_blocks - 1
    return Figure(
        title=words["pool"].format(number=film.number, count=len(frames)),
        blocks_label=words["pool.blocks"].format(number=film.number),
        blocks=list(enumerate(filmed.after(len(frames)))),
        rest=film_words.rest(rest, last, language) if rest <= last else "",
        events=[film_words.describe(f.event, f.state, language) for f in frames],
        before=json.dumps([[b.state, b.ref_cnt, b.filled] for b in filmed.before]),
        frames=json.dumps(
            [
                [f.event.block, f.event.other if f.event.kind == "copied" else None,
                 f.event.kind, f.state, f.ref_cnt, f.filled]
                for f in frames
            ]
        ),
    )  # fmt: skip
