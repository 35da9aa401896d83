"""Whose a block is: after each event, what the sequences of the pool hold."""

from __future__ import annotations

from helpers.pool_moves import MOVES, live
from hypothesis import given

from walkthrough.lesson.pool_events import PoolEvent, PoolRecorder
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import Statement, record
from walkthrough.paging.block_pool import BlockPool


def events_of(number: int) -> list[PoolEvent]:
    return [
        event
        for step in record(find_lessons("en")[number - 1])
        for item in step.items
        if isinstance(item, Statement)
        for event in item.pool_events
        if event.pool.number == 1
    ]


def test_copy_on_write_event_by_event() -> None:
    told = [
        (
            e.who and e.who.name, e.event.kind, e.event.block,
            {s.name: (len(state.tokens), *state.table) for s, state in e.sequences.items()},
        )
        for e in events_of(12)[:13]
    ]  # fmt: skip
    both = {"A": (2, 1), "B": (2, 1), "C": (2, 1)}
    assert told[0] == ("A", "allocated", 1, {"A": (0, 1)})
    assert told[1] == ("A", "written", 1, {"A": (2, 1)})
    assert told[2][:3] == ("B", "shared", 1)
    assert told[3] == ("C", "shared", 1, both)
    assert told[4] == ("A", "allocated", 2, both)
    assert told[5] == ("A", "freed", 1, both)
    assert told[6] == ("A", "copied", 2, both | {"A": (2, 2)})
    assert told[7] == ("A", "written", 2, both | {"A": (3, 2)})
    assert told[12] == ("C", "written", 1, {"A": (3, 2), "B": (3, 3), "C": (3, 1)})


def test_pools_and_their_texts_are_the_lessons() -> None:
    (pool,) = {event.pool for event in events_of(12)}
    assert pool.name == "pool"
    assert pool.texts[0] == "나는"
    assert {e.who.name for e in events_of(9) if e.who} >= {"other", "mine"}


@given(MOVES)
def test_after_each_move_the_last_event_has_all_as_they_are(moves: list[tuple[str, int]]) -> None:
    recorder = PoolRecorder()
    with recorder.listening():
        pool = BlockPool(8)
        sequences = live(pool, moves)
    recorder.name({f"s{i}": sequence for i, sequence in enumerate(sequences)})
    events = recorder.take()
    if events:
        last = {each.name: state for each, state in events[-1].sequences.items()}
        for i, sequence in enumerate(sequences):
            assert last[f"s{i}"].tokens == tuple(sequence.token_ids)
            assert last[f"s{i}"].table == tuple(sequence.block_table)
    for event in events:  # a block that a frame shows in a table is one that was taken
        for state in event.sequences.values():
            assert len(state.tokens) <= 2 * len(state.table)
