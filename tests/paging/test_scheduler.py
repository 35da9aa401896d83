"""Scheduling: 17 continuous batching and chunked prefill, 18 preemption by recompute and swap."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.scheduler import RequestTooLongError, Scheduler
from walkthrough.reference.cache import NoCache
from walkthrough.reference.engine import most_likely, serve
from walkthrough.reference.model import Model, generate
from walkthrough.reference.paged import PagedStorage

ENDING = random_model(np.random.default_rng(11), layers=2, h=2, h_kv=1, d_k=2)
MODEL = dataclasses.replace(ENDING, eos=-1)  # never ends by itself


def scheduler(num_blocks: int, block_size: int = 2, **options: object) -> Scheduler:
    return Scheduler(BlockPool(num_blocks), block_size, **({"token_budget": 8} | options))  # type: ignore[arg-type]


def run(s: Scheduler, model: Model = MODEL) -> int:
    """Serve everything; returns the number of steps."""
    storage = PagedStorage(s.pool.num_blocks, s.block_size, 2, layers=2)
    host = PagedStorage(s.host.num_blocks, s.block_size, 2, layers=2) if s.host else None
    steps = 0
    for step in serve(model, s, storage, host):
        steps += 1
        assert step.num_tokens <= s.token_budget
        assert not set(step.preempted) & {r for r, _ in step.feed}, "out and in again at once"
        for queue in (s.waiting, s.running):
            assert [r.arrival for r in queue] == sorted(r.arrival for r in queue)
        assert step.feed or step.preempted, "a step that does nothing never ends"
        assert steps < 2000
    return steps


def assert_all_as_if_alone(s: Scheduler, model: Model = MODEL) -> None:
    for r in s.finished:
        alone = [x.next_token for x in generate(model, r.prompt, NoCache(), r.max_new_tokens)]
        assert r.output == alone
    assert s.pool.num_free_blocks == s.pool.num_blocks - 1
    if s.host:
        assert s.host.num_free_blocks == s.host.num_blocks - 1


@pytest.mark.parametrize("told", ["before", "by the model"])
@pytest.mark.parametrize("bad", [[-1, 2], [2, 7], [1.5], [2, -8]])
def test_token_ids_that_there_are_not_are_refused_and_the_others_served(
    told: str, bad: list[int]
) -> None:
    s = scheduler(30, vocabulary=MODEL.vocabulary if told == "before" else None)
    s.submit("first", [1, 2], 3)
    stranger = next(token for token in bad if token not in (1, 2))
    message = f"bad: token id {stranger} is not "
    if told == "before" or stranger != 7:
        with pytest.raises(ValueError, match=message):
            s.submit("bad", bad, 3)
    else:  # not known yet that there are seven
        s.submit("bad", bad, 3)
        s.submit("worse", [*bad, 8], 3)
    s.submit("last", [3], 3)
    if len(s.waiting) == 4:
        with pytest.raises(ValueError, match=message + "one of 0 … 6"):
            run(s)
        assert s.pool.num_used_blocks == 0
    run(s)
    assert {request.name for request in s.finished} == {"first", "last"}
    assert_all_as_if_alone(s)
    with pytest.raises(ValueError, match="later: token id 7 is not one of 0 … 6"):
        s.submit("later", [7], 1)
    assert not s.waiting


@pytest.mark.parametrize("fails", ["rows", "choice"])
def test_a_step_that_fails_is_computed_again(fails: str) -> None:
    pool = BlockPool(30)
    s = Scheduler(pool, 2, token_budget=64, prefix_cache=PrefixCache(pool, 2))
    s.submit("a", [1, 2, 3, 4, 6], 3)
    s.submit("b", [1, 2, 3, 4, 5], 3)  # counts on blocks that a fills in the same step
    storage = PagedStorage(30, 2, 2, layers=2)
    storage.K[:], storage.V[:] = 7.0, 7.0  # of somebody before: nothing would be seen to lack
    embedding = MODEL.embedding.copy()
    if fails == "rows":
        embedding[6] = np.nan
    calls = 0

    def choose(name: str, logits: np.ndarray) -> int:
        nonlocal calls
        calls += 1
        if fails == "choice" and calls == 2:
            raise TimeoutError
        return most_likely(name, logits)

    with pytest.raises((ValueError, TimeoutError)):
        list(serve(dataclasses.replace(MODEL, embedding=embedding), s, storage, choose=choose))
    assert s.pool.num_used_blocks == 0
    list(serve(MODEL, s, storage, choose=choose))
    assert len(s.finished) == 2
    assert_all_as_if_alone(s)


def test_17_requests_join_and_leave_a_running_batch() -> None:
    s = scheduler(30)
    s.submit("long", [1, 2, 3], 6)
    s.submit("short", [4], 1)
    storage = PagedStorage(30, 2, 2, layers=2)
    running = serve(MODEL, s, storage)
    first = next(running)
    assert [r.name for r, _ in first.feed] == ["long", "short"]
    assert [r.name for r in s.finished] == ["short"]
    s.submit("late", [5, 6], 2)
    second = next(running)
    assert [(r.name, len(tokens)) for r, tokens in second.feed] == [("long", 1), ("late", 2)]
    for _ in running:
        pass
    assert_all_as_if_alone(s)


def test_17_a_long_prompt_is_cut_to_the_budget_while_others_decode() -> None:
    s = scheduler(40, token_budget=4)
    s.submit("first", [1, 2], 5)
    s.submit("long", list(range(1, 7)) * 2, 2)
    storage = PagedStorage(40, 2, 2, layers=2)
    chunks = [[(r.name, len(t)) for r, t in step.feed] for step in serve(MODEL, s, storage)]
    assert chunks[0] == [("first", 2), ("long", 2)]
    assert chunks[1] == [("first", 1), ("long", 3)]
    assert all(sum(n for _, n in chunk) <= 4 for chunk in chunks)
    assert_all_as_if_alone(s)


def test_17_first_come_first_served() -> None:
    s = scheduler(4, token_budget=100)  # three blocks of two
    s.submit("a", [1, 2, 3, 4], 2)
    s.submit("big", [1, 2, 3, 4, 5], 1)
    s.submit("small", [6], 1)  # would fit now, but has to wait for its turn
    step = s.schedule()
    assert [r.name for r, _ in step.feed] == ["a"]
    assert [r.name for r in s.waiting] == ["big", "small"]


@pytest.mark.parametrize("how", ["recompute", "swap", "swap to a small pool"])
def test_18_preempted_requests_give_the_same_tokens(how: str) -> None:
    host = {"recompute": None, "swap": BlockPool(20), "swap to a small pool": BlockPool(3)}[how]
    s = scheduler(6, host=host)  # five blocks of two
    for name, prompt in (("a", [1, 2]), ("b", [3, 4]), ("c", [5, 6])):
        s.submit(name, prompt, 7)
    run(s)
    requests = {r.name: r for r in s.finished}
    assert len(requests) == 3
    assert max(r.times_preempted for r in requests.values()) >= 2, "preempted twice"
    assert requests["a"].times_preempted == 0, "the oldest is never preempted"
    assert_all_as_if_alone(s)


def test_18_a_request_that_never_fits_is_refused_alone_with_the_sizes() -> None:
    s = scheduler(4)
    s.submit("ok", [1, 2], 3)
    with pytest.raises(
        RequestTooLongError, match="huge: up to 8 tokens need 4 blocks of 2, the pool has 3"
    ):
        s.submit("huge", [1, 2, 3], 6)
    with pytest.raises(ValueError, match="empty: needs a prompt"):
        s.submit("empty", [], 1)
    run(s)
    assert [r.name for r in s.finished] == ["ok"]
    assert_all_as_if_alone(s)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.integers(1, 6), min_size=1, max_size=7), st.integers(1, 6)),
        min_size=1,
        max_size=6,
    ),
    st.integers(1, 4),
    st.integers(1, 9),
    st.sampled_from([None, 2, 5, 30]),
    st.booleans(),
    st.integers(1, 4),
    st.booleans(),
)
def test_18_any_workload_in_a_tight_pool_gives_the_tokens_of_requests_alone(
    workload: list[tuple[list[int], int]],
    block_size: int,
    budget: int,
    host_blocks: int | None,
    caching: bool,
    max_running: int,
    ending: bool,
) -> None:
    longest = max(-(-(len(p) + n - 1) // block_size) for p, n in workload)
    pool = BlockPool(longest + 1)  # the largest fits only alone
    s = Scheduler(
        pool,
        block_size,
        token_budget=budget,
        max_running=max_running,
        prefix_cache=PrefixCache(pool, block_size) if caching else None,
        host=BlockPool(host_blocks) if host_blocks else None,
    )
    for i, (prompt, new) in enumerate(workload):
        s.submit(str(i), prompt, new)
    model = ENDING if ending else MODEL
    run(s, model)
    assert len(s.finished) == len(workload)
    assert_all_as_if_alone(s, model)


def test_bad_options() -> None:
    with pytest.raises(ValueError, match="token_budget must be at least 1, got 0"):
        scheduler(4, token_budget=0)
    with pytest.raises(ValueError, match="max_running must be at least 1, got 0"):
        scheduler(4, max_running=0)


def test_18_swapping_needs_storage_on_both_sides() -> None:
    s = scheduler(30, host=BlockPool(4))
    s.submit("a", [1, 2], 1)
    with pytest.raises(ValueError, match="host pool, for which there is no storage"):
        list(serve(MODEL, s, PagedStorage(30, 2, 2, layers=2)))


def test_what_submit_gives_is_what_waits_and_ends_up_finished() -> None:
    s = scheduler(30)
    request = s.submit("a", (1, 2), 3)
    assert (request.name, request.prompt, request.max_new_tokens) == ("a", (1, 2), 3)
    assert (s.waiting, request.output, request.sequence) == ([request], [], None)
    run(s)
    assert s.finished == [request]
    assert len(request.output) == 3


@pytest.mark.parametrize("host", [None, BlockPool(9)])
def test_who_is_preempted_has_no_sequence(host: BlockPool | None) -> None:
    s = scheduler(5, host=host)
    for name in "ab":
        s.submit(name, [1, 2], 6)
    while not any(step.preempted for step in [s.schedule()]):
        for request in list(s.running):
            s.advance(request, 3)
    (out,) = [request for request in s.waiting if request.times_preempted]
    assert out.sequence is None
    assert (out.swapped is None) == (host is None)
