"""Serving by lengths: the buddy allocator, where slots go, what sharing saves, trace replay."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.buddy import BuddyAllocator
from walkthrough.paging.contiguous import OutOfMemoryError
from walkthrough.serving import sharing
from walkthrough.serving.memory import (
    POLICIES,
    ContiguousMemory,
    Memory,
    PagedMemory,
    Running,
    token_ids,
)
from walkthrough.serving.outcome_tables import PAPER, PAPER_SAVED
from walkthrough.serving.queue import serve_queue
from walkthrough.serving.replay import replay
from walkthrough.serving.workloads import CONTENT_SIZE, WORKLOADS, Lengths

SLOTS, LONGEST = 15_728, 2_048


@given(
    st.integers(1, 100),
    st.lists(st.tuples(st.booleans(), st.integers(1, 40), st.integers(0, 99)), max_size=60),
)
def test_buddies_never_overlap_and_all_meet_again(
    capacity: int, operations: list[tuple[bool, int, int]]
) -> None:
    memory = BuddyAllocator(capacity)
    taken: dict[int, int] = {}
    for take, size, which in operations:
        if take:
            try:
                start, slots = memory.reserve(size)
            except OutOfMemoryError as error:
                assert error.asked > error.largest
                continue
            assert size <= slots < 2 * size
            assert slots & (slots - 1) == 0 and start % slots == 0 and start + slots <= capacity
            assert all(start + slots <= a or a + n <= start for a, n in taken.items())
            taken[start] = slots
        elif taken:
            start = sorted(taken)[which % len(taken)]
            memory.release(start)
            del taken[start]
        assert memory.free == capacity - sum(taken.values())
    for start in taken:
        memory.release(start)
    whole = [1 << bit for bit in reversed(range(7)) if capacity >> bit & 1]
    fresh = BuddyAllocator(capacity)  # whose largest pieces are there again
    assert [memory.reserve(n) for n in whole] == [fresh.reserve(n) for n in whole]
    assert memory.free == 0


def test_buddy_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="at least 1 slot, got 0"):
        BuddyAllocator(0)
    memory = BuddyAllocator(13)
    with pytest.raises(ValueError, match="at least 1 slot, got 0"):
        memory.reserve(0)
    with pytest.raises(OutOfMemoryError, match="no room for 16 slots in one piece: 13 are free"):
        memory.reserve(9)
    start, _ = memory.reserve(2)
    memory.release(start)
    with pytest.raises(ValueError, match="no piece that is in use begins at slot"):
        memory.release(start)


lengths = st.builds(
    Lengths,
    st.integers(1, 20),
    st.integers(1, 12),
    common=st.just(0),
)


@pytest.mark.parametrize("kind", [*POLICIES, "paged", "shared"])
@given(st.lists(lengths, min_size=1, max_size=25), st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_every_slot_is_somewhere_and_nothing_is_left_behind(
    kind: str, requests: list[Lengths], block_size: int
) -> None:
    memory: Memory
    if kind in POLICIES:
        memory = ContiguousMemory(70, 32, POLICIES[kind])
    else:
        memory = PagedMemory(70, block_size, sharing=kind == "shared")
    done = []
    plain = memory.slots

    def watched():  # type: ignore[no-untyped-def]
        slots = plain()
        assert min(slots.tokens, slots.reserved, slots.internal, slots.other) >= 0
        assert slots.tokens + slots.reserved + slots.internal + slots.other == 70
        return slots

    memory.slots = watched  # type: ignore[method-assign]
    outcome = serve_queue(requests, memory, lambda: done.append(1))
    assert len(done) == len(requests)
    assert outcome.refused == sum(not memory.fits(request) for request in requests)
    assert plain().other == 70
    if outcome.steps:
        total = outcome.tokens + outcome.reserved + outcome.internal + outcome.other
        assert total == pytest.approx(1)


def test_a_paged_memory_counts_shared_blocks_once() -> None:
    memory = PagedMemory(64, 4, sharing=True)
    first, second = (Running(Lengths(9, 3, common=8), number, 9) for number in range(2))
    assert memory.start(first) and memory.start(second)
    assert memory.blocks() == (6, 4)  # two blocks of the common prefix, and one each
    slots = memory.slots()
    assert (slots.tokens, slots.internal, slots.other) == (8 + 2, 6, 48)
    assert memory.hits == 8


def test_content_of_a_trace_becomes_tokens_that_tell_contents_apart() -> None:
    one = Running(Lengths(CONTENT_SIZE + 3, 2, content=(7, 9)), 0, CONTENT_SIZE + 3)
    two = Running(Lengths(CONTENT_SIZE + 3, 2, content=(7, 8)), 1, CONTENT_SIZE + 4)
    a, b = token_ids(one), token_ids(two)
    assert len(a) == CONTENT_SIZE + 3 and len(b) == CONTENT_SIZE + 4
    assert a[:CONTENT_SIZE] == b[:CONTENT_SIZE]
    assert not set(a[CONTENT_SIZE:]) & set(b[CONTENT_SIZE:])


def test_the_youngest_is_preempted_and_all_are_served() -> None:
    outcome = serve_queue([Lengths(4, 9)] * 5, PagedMemory(16, 4))
    assert outcome.preempted > 0
    assert outcome.refused == 0


@pytest.mark.parametrize("seed", [0, 1])
def test_sharegpt_comes_out_as_the_paper_measured(seed: int) -> None:
    """Token share: 3 points for the longest and for pages, 4 for the two others."""
    requests = WORKLOADS["sharegpt"].draw(800, random.Random(seed), LONGEST)
    memories: dict[str, Memory] = {
        name: ContiguousMemory(SLOTS, LONGEST, policy) for name, policy in POLICIES.items()
    }
    memories["paged"] = PagedMemory(SLOTS, 16)
    for name, memory in memories.items():
        outcome = serve_queue(requests, memory)
        expected = PAPER[name][0]
        assert isinstance(expected, float)
        within = 3 if name in ("longest", "paged") else 4
        assert 100 * outcome.tokens == pytest.approx(expected, abs=within), name


def test_alpaca_saves_as_the_paper_measured() -> None:
    """Blocks saved: parallel sampling within 2 points, beam search within 6."""
    rng = random.Random(0)
    requests = WORKLOADS["alpaca"].draw(500, rng, LONGEST)
    for n, expected in PAPER_SAVED["alpaca", "parallel"].items():
        saved = sharing.saved_by_samples(requests, n, 16).share
        assert 100 * saved == pytest.approx(expected, abs=2)
    for n, expected in PAPER_SAVED["alpaca", "beam"].items():
        saved = sharing.saved_by_beams(requests[:250], n, 16, 0.1, rng).share
        assert 100 * saved == pytest.approx(expected, abs=6)


def test_sharing_by_hand() -> None:
    # 5 tokens in blocks of 4, two samples of 3 tokens: steps with 5, 6 and 7 tokens stored.
    # At first both tables are the same two blocks; then each has a last block of its own.
    saved = sharing.saved_by_samples([Lengths(5, 3)], 2, 4)
    assert (saved.named, saved.used) == (4 + 4 + 4, 2 + 3 + 3)


def test_beams_that_are_never_given_up_save_as_samples_do() -> None:
    requests = [Lengths(20, 30), Lengths(7, 12)]
    alone = sharing.saved_by_beams(requests, 4, 4, 0, random.Random(0))
    assert alone == sharing.saved_by_samples(requests, 4, 4)
    shared = sharing.saved_by_beams(requests, 4, 4, 0.5, random.Random(0))
    assert shared.share > alone.share


@given(st.lists(st.lists(st.integers(0, 3), max_size=6), max_size=30))
def test_replay_against_a_set_of_prefixes(prompts: list[list[int]]) -> None:
    seen: set[tuple[int, ...]] = set()
    hits = 0
    for prompt in prompts:
        prefixes = [tuple(prompt[: i + 1]) for i in range(len(prompt))]
        hits += sum(prefix in seen for prefix in prefixes)
        seen.update(prefixes)
    requests = [Lengths(512 * len(p) or 1, 1, tuple(p)) for p in prompts]
    result = replay(requests, 1000)
    assert (result.blocks, result.hits) == (sum(map(len, prompts)), hits)


def test_replay_evicts_the_oldest() -> None:
    requests = [Lengths(1024, 1, ids) for ids in ((1, 2), (3, 4), (5, 6), (3, 4), (1, 2))]
    assert replay(requests, 100).hits == 4
    assert replay(requests, 4).hits == 2  # 1 and 2 have made room for 5 and 6


def test_a_workload_that_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="hardly a request of ShareGPT has at most 2 tokens"):
        WORKLOADS["sharegpt"].draw(10, random.Random(0), 2)
