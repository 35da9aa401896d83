"""A history block pool, event by event: how every block stands after each of them."""

from __future__ import annotations

from rich.cells import cell_len

from walkthrough.display.table import Line, Table, pad
from walkthrough.lesson import pool_sentences
from walkthrough.lesson.pool_events import BlockStatus
from walkthrough.lesson.pool_history import PoolHistory
from walkthrough.presenter.words import WORDS

MOST_EVENTS_SHOWN = 60  # of one statement: more of them are a measurement, nothing to watch
MOST_FILMS = 2  # pools that one statement plays with
MOST_SENTENCES = 8
STATE_MARKS = {"free": "free", "cached": "cached", "shared": "shared"}
DRAWN_SLOTS = 8  # of a block, one by one; of more, their number


def watchable(cuts: list[PoolHistory]) -> list[PoolHistory]:
    """Those of one statement that can be stepped through; none where it is too much to watch."""
    if len(cuts) > MOST_FILMS:
        return []
    return [history for history in cuts if len(history.events) <= MOST_EVENTS_SHOWN]


def pool_drawing(history: PoolHistory, events: int, latest: int, language: str) -> Table:
    """The pool after so many events, the blocks of the latest ones marked if they are few."""
    latest = latest if latest <= MOST_SENTENCES else 0
    blocks = history.after(events)
    now = {pool_event.event.block for pool_event in history.events[events - latest : events]}
    sources = {
        pool_event.event.other
        for pool_event in history.events[events - latest : events]
        if pool_event.event.kind == "copied"
    }
    marks = [
        "now" if i in now else "also" if i in sources else STATE_MARKS.get(block.state, "")
        for i, block in enumerate(blocks)
    ]
    rest, last = len(blocks), history.pool.num_blocks - 1
    title = f"pool {history.pool.number}"
    states = pool_sentences.states(language)
    width = max(map(cell_len, states.values()))  # so that no column moves from event to event
    if rest <= last:
        title += f" ({pool_sentences.rest(rest, last, language)})"
    return Table(
        title,
        [
            [str(block.ref_cnt) for block in blocks],
            [_slots(block, history.slots) for block in blocks],
            [pad(states[block.state], width) for block in blocks],
        ],
        rows=["ref_cnt", "slots", ""],
        cols=[str(i) for i in range(len(blocks))],
        corner="block",
        marks=[marks] * 3,
        kind="pool",
    )


def what_happened(history: PoolHistory, events: int, latest: int, language: str) -> list[Line]:
    """What happened last, in words; of much at once, how much it was."""
    if latest > MOST_SENTENCES:
        return [[(WORDS[language]["events"].format(count=latest), "current")]]
    return [
        [(pool_sentences.event_sentence(pool_event.event, pool_event.state, language), "current")]
        for pool_event in history.events[events - latest : events]
    ]


def _slots(block: BlockStatus, slots: int) -> str:
    if block.state == "null":
        return "-" * min(slots, DRAWN_SLOTS)
    if slots > DRAWN_SLOTS:
        return f"{block.filled}/{slots}"
    return "■" * block.filled + "□" * (slots - block.filled)
