"""The film of a lesson's pools: every event of every pool, with the true state after it."""

from __future__ import annotations

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from walkthrough.lesson import pool_sentences as film_words
from walkthrough.lesson.pool_events import Camera, State, block_state
from walkthrough.lesson.reading import find_lessons
from walkthrough.lesson.recording import Example, record
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event, Kind
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence


@given(st.lists(st.tuples(st.sampled_from(["append", "fork", "free", "new"]), st.integers(0, 9))))
def test_the_last_frame_of_each_block_is_its_state(moves: list[tuple[str, int]]) -> None:
    camera = Camera()
    with camera.rolling():
        pool = BlockPool(8)
    prefixes = PrefixCache(pool, 2)
    sequences = [Sequence(pool, 2, prefixes)]
    for move, n in moves:
        sequence = sequences[n % len(sequences)]
        try:
            if move == "append":
                sequence.append([0, 1, 0, 1][: n % 4 + 1])
            elif move == "fork":
                sequences.append(sequence.fork())
            elif move == "new":
                sequences.append(Sequence(pool, 2, prefixes))
                sequences[-1].reuse_prefix([0, 1, 0, 1, 0])
            else:
                sequence.free()
        except OutOfBlocksError:
            pass
    last = {}
    for frame in camera.take():
        last[frame.event.block] = frame
        if frame.event.kind == "copied":
            assert frame.event.other is not None
    for block, frame in last.items():
        assert frame.ref_cnt == pool.ref_cnt[block]
        assert frame.state == block_state(pool, block)
    for sequence in sequences:
        for i, block in enumerate(sequence.block_table):
            assert last[block].filled == min(2, len(sequence) - 2 * i)
    assert camera.take() == ()


def test_only_pools_made_while_it_rolls_are_listened_to() -> None:
    camera = Camera()
    before = BlockPool(3)
    with camera.rolling():
        during = BlockPool(4)
    after = BlockPool(5)
    assert not before.listeners and not after.listeners
    for pool in (before, during, after):
        pool.get_new_blocks(1)
    (frame,) = camera.take()
    assert (frame.film.number, frame.film.num_blocks) == (1, 4)


def test_the_film_ends() -> None:
    camera = Camera(most_frames=3)
    with camera.rolling():
        pool = BlockPool(9)
    pool.get_new_blocks(8)
    assert [frame.event.block for frame in camera.take()] == [1, 2, 3]
    pool.free_blocks([1])
    assert camera.take() == ()
    assert not pool.listeners  # from here on, listening costs nothing


def test_a_recorded_lesson_has_the_film_of_its_pools() -> None:
    steps = record(find_lessons("en")[11])
    frames = [
        [frame for item in step.items if isinstance(item, Example) for frame in item.frames]
        for step in steps
    ]
    write = next(f for step, f in zip(steps, frames, strict=True) if step.title == "Copy-on-write")
    assert [f.event.kind for f in write][:4] == ["allocated", "freed", "copied", "written"]
    assert [f.event.block for f in write if f.event.kind == "copied"] == [2, 3]
    states = {f.event.block: (f.state, f.ref_cnt, f.filled) for f in write}
    assert states == {1: ("used", 1, 3), 2: ("used", 1, 3), 3: ("used", 1, 3)}


def test_every_event_and_state_is_told_in_both_languages() -> None:
    assert film_words.WORDS["ko"].keys() == film_words.WORDS["en"].keys()
    for language in film_words.WORDS:
        for kind in get_args(Kind):
            assert "3" in film_words.describe(Event(kind, 3, 0), "free", language)
        assert all(f"state.{state}" in film_words.WORDS[language] for state in get_args(State))
