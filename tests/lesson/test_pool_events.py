"""The events of a lesson's pools: every one of every pool, with the true state after it."""

from __future__ import annotations

from typing import get_args

from helpers.pool_moves import MOVES, live
from hypothesis import given

from walkthrough.lesson import pool_sentences
from walkthrough.lesson.pool_events import BlockState, PoolRecorder, block_state
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import Statement, record
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.events import Event, Kind


@given(MOVES)
def test_the_last_frame_of_each_block_is_its_state(moves: list[tuple[str, int]]) -> None:
    recorder = PoolRecorder()
    with recorder.listening():
        pool = BlockPool(8)
    sequences = live(pool, moves)
    last = {}
    for event in recorder.take():
        last[event.event.block] = event
        if event.event.kind == "copied":
            assert event.event.other is not None
    for block, event in last.items():
        assert event.ref_cnt == pool.ref_cnt[block]
        assert event.state == block_state(pool, block)
    for sequence in sequences:
        for i, block in enumerate(sequence.block_table):
            assert last[block].filled == min(2, len(sequence) - 2 * i)
    assert recorder.take() == ()


def test_only_pools_made_while_it_rolls_are_listened_to() -> None:
    recorder = PoolRecorder()
    before = BlockPool(3)
    with recorder.listening():
        during = BlockPool(4)
    after = BlockPool(5)
    assert not before.listeners and not after.listeners
    for pool in (before, during, after):
        pool.get_new_blocks(1)
    (event,) = recorder.take()
    assert (event.pool.number, event.pool.num_blocks) == (1, 4)


def test_the_film_ends() -> None:
    recorder = PoolRecorder(most_events=3)
    with recorder.listening():
        pool = BlockPool(9)
    pool.get_new_blocks(8)
    assert [event.event.block for event in recorder.take()] == [1, 2, 3]
    pool.free_blocks([1])
    assert recorder.take() == ()
    assert not pool.listeners  # from here on, listening costs nothing


def test_a_recorded_lesson_has_the_film_of_its_pools() -> None:
    steps = record(find_lessons("en")[11])
    events = [
        [event for item in step.items if isinstance(item, Statement) for event in item.pool_events]
        for step in steps
    ]
    write = next(f for step, f in zip(steps, events, strict=True) if step.title == "Copy-on-write")
    assert [f.event.kind for f in write][:4] == ["allocated", "freed", "copied", "written"]
    assert [f.event.block for f in write if f.event.kind == "copied"] == [2, 3]
    states = {f.event.block: (f.state, f.ref_cnt, f.filled) for f in write}
    assert states == {1: ("used", 1, 3), 2: ("used", 1, 3), 3: ("used", 1, 3)}


def test_every_event_and_state_is_told_in_both_languages() -> None:
    for language in pool_sentences.WORDS:
        for kind in get_args(Kind):
            assert "3" in pool_sentences.event_sentence(Event(kind, 3, 0), "free", language)
        assert all(
            f"state.{state}" in pool_sentences.WORDS[language] for state in get_args(BlockState)
        )
