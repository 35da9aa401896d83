"""A block pool's history as a figure of a page: the strip of its blocks and what happens to them.

The page's script plays them; without it the figure shows how things stand at the end, and
the events as a list.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from walkthrough.export.words import WORDS
from walkthrough.lesson import pool_sentences
from walkthrough.lesson.pool_events import BlockStatus
from walkthrough.lesson.pool_history import PoolHistory

MOST_FRAMES, MOST_BLOCKS = 200, 100  # more in one go is a measurement, not something to watch


@dataclass(frozen=True)
class PoolFigure:
    """What the template draws."""

    title: str
    blocks_label: str
    blocks: list[tuple[int, BlockStatus]]  # at the end, by number
    rest: str  # what is said about the blocks behind them
    events: list[str]  # sentences
    before: str  # JSON: [state, ref_cnt, filled] by block
    frames: str  # JSON: [block, other or null, kind, state, ref_cnt, filled] by event


def pool_figures(cuts: Iterable[PoolHistory], language: str) -> list[PoolFigure]:
    """A figure for each pool to which something happened, unless it is too much to watch."""
    return [
        _figure(history, language)
        for history in cuts
        if len(history.events) <= MOST_FRAMES and len(history.before) <= MOST_BLOCKS
    ]


def _figure(history: PoolHistory, language: str) -> PoolFigure:
    words, pool, events = WORDS[language], history.pool, history.events
    rest, last = len(history.before), pool.num_blocks - 1
    return PoolFigure(
        title=words["pool"].format(number=pool.number, count=len(events)),
        blocks_label=words["pool.blocks"].format(number=pool.number),
        blocks=list(enumerate(history.after(len(events)))),
        rest=pool_sentences.rest(rest, last, language) if rest <= last else "",
        events=[pool_sentences.event_sentence(f.event, f.state, language) for f in events],
        before=json.dumps([[b.state, b.ref_cnt, b.filled] for b in history.before]),
        frames=json.dumps(
            [
                [f.event.block, f.event.other if f.event.kind == "copied" else None,
                 f.event.kind, f.state, f.ref_cnt, f.filled]
                for f in events
            ]
        ),
    )  # fmt: skip
