"""Requests in time: what must hold of every run, and what the published figures say."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from dataclasses import replace
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.reference.speed.machines import LINKS, MACHINES
from walkthrough.reference.speed.roofline import (
    StepLoad,
    decode_load,
    prefill_load,
    step_cost,
    step_time,
)
from walkthrough.reference.speed.shapes import SHAPES
from walkthrough.reference.speed.transfer import visible_transfer
from walkthrough.serving.latency import machine
from walkthrough.serving.latency.arrivals import QUANTILE_WORKLOADS, own_times, poisson
from walkthrough.serving.latency.clock import StepClock
from walkthrough.serving.latency.figures import (
    Limits,
    attainment,
    goodput,
    highest_rate,
    histogram,
    percentile,
    weighted_percentiles,
)
from walkthrough.serving.latency.machine import ServingMachine
from walkthrough.serving.latency.policies import (
    LatencyOutcome,
    policy,
    send,
    serve_apart,
    serve_together,
)
from walkthrough.serving.latency.served import ServedRequest, StepPolicy
from walkthrough.serving.workloads import Lengths

CLOCK = StepClock(SHAPES["llama3-8b"], MACHINES["a100"])
SMALL = StepClock(SHAPES["llama3-8b"], replace(MACHINES["a100"], memory=18e9))  # 3,800 tokens
POLICIES = ("prefill-first", "whole", "chunked", "chunks alone")

requests_in_time = st.lists(
    st.builds(
        lambda prompt, output, arrival: Lengths(prompt, output, arrival=arrival),
        st.integers(1, 1500),
        st.integers(1, 30),
        st.floats(0, 2),
    ),
    max_size=12,
)


def drawn(count: int, rate: float, seed: int = 0) -> list[Lengths]:
    rng = random.Random(seed)
    return poisson(QUANTILE_WORKLOADS["openchat"].draw(count, rng, 8192), rate, rng)


def times(outcome: LatencyOutcome) -> list[tuple[float, float]]:
    return [(request.first_token, request.finished) for request in outcome.served]


@given(st.integers(0, 9000), st.integers(0, 300), st.integers(0, 10**8), st.integers(0, 10**6))
def test_the_clock_is_the_roofline(fed: int, chosen: int, pairs: int, read: int) -> None:
    clock = replace(CLOCK, efficiency=0.5, host=0.003)
    load = StepLoad(fed, chosen, pairs, read)
    expected = step_time(step_cost(clock.shape, load), clock.machine) / 0.5 + 0.003
    assert clock.seconds(fed, chosen, pairs, read) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(requests_in_time, st.sampled_from(POLICIES), st.sampled_from([CLOCK, SMALL]),
       st.integers(1, 2), st.sampled_from([64, 512, 4096]))  # fmt: skip
def test_everybody_is_served_and_every_token_is_counted(
    requests: list[Lengths], name: str, clock: StepClock, machines: int, budget: int
) -> None:
    outcome = serve_together(requests, clock, policy(name, budget), machines)
    check(requests, outcome)
    for log in outcome.machines:
        for (_, end, _), (start, _, _) in itertools.pairwise(log.spans):
            assert start >= end
        if name != "whole" and name != "chunked":
            assert {kind for *_, kind in log.spans} <= {"prefill", "decode"}


@settings(deadline=None)
@given(requests_in_time, st.sampled_from([CLOCK, SMALL]), st.booleans(), st.integers(1, 3))
def test_everybody_is_served_with_prefill_and_decode_apart(
    requests: list[Lengths], clock: StepClock, by_layer: bool, first: int
) -> None:
    outcome = serve_apart(requests, clock, LINKS["100g"], (first, 2), by_layer=by_layer)
    check(requests, outcome)
    assert len(outcome.machines) == first + 2
    assert {kind for log in outcome.machines[:first] for *_, kind in log.spans} <= {"prefill"}
    assert {kind for log in outcome.machines[first:] for *_, kind in log.spans} <= {"decode"}


def check(requests: list[Lengths], outcome: LatencyOutcome) -> None:
    assert len(outcome.served) == len(requests) and not outcome.refused
    assert Counter(id(s.lengths) for s in outcome.served) == Counter(map(id, requests))
    tokens = sum(request.output - 1 for request in requests)
    assert sum(count for _, count in outcome.gaps) == tokens
    waited = sum(s.finished - s.first_token for s in outcome.served)
    assert sum(gap * count for gap, count in outcome.gaps) == pytest.approx(waited, abs=1e-9)
    for served in outcome.served:
        assert served.arrival <= served.prefill_start < served.first_token <= served.finished
        assert served.computed == served.lengths.prompt
    assert max((log.longest[0] for log in outcome.machines), default=0) == max(
        (gap for gap, _ in outcome.gaps), default=0
    )


@settings(deadline=None)
@given(requests_in_time, st.sampled_from([CLOCK, SMALL]))
def test_a_budget_without_end_makes_chunked_whole(
    requests: list[Lengths], clock: StepClock
) -> None:
    endless = 10**9
    chunked = serve_together(requests, clock, policy("chunked", endless))
    whole = serve_together(requests, clock, policy("whole", prompt_tokens=endless))
    assert times(chunked) == times(whole)


def test_one_request_at_a_time_makes_a_budget_of_the_longest_prompt_enough() -> None:
    requests = [Lengths(900 + i, 5, arrival=float(i)) for i in range(5)]
    chunked = serve_together(requests, CLOCK, policy("chunked", 904))
    assert times(chunked) == times(serve_together(requests, CLOCK, policy("whole")))
    assert times(chunked) == times(serve_together(requests, CLOCK, policy("prefill-first")))


@given(st.integers(1, 5000), st.integers(2, 50), st.booleans())
def test_alone_a_split_machine_loses_what_is_left_of_the_transfer(
    prompt: int, output: int, by_layer: bool
) -> None:
    request = [Lengths(prompt, output, arrival=0.5)]
    (alone,) = serve_together(request, CLOCK, policy("prefill-first")).served
    at_once = serve_apart(request, CLOCK, 1e30, by_layer=by_layer)
    assert times(at_once)[0] == pytest.approx((alone.first_token, alone.finished), rel=1e-12)
    outcome = serve_apart(request, CLOCK, LINKS["100g"], by_layer=by_layer)
    sending = CLOCK.shape.geometry.cache_bytes(prompt) / LINKS["100g"]
    computing = alone.first_token - 0.5
    left = visible_transfer(computing, sending, 32) if by_layer else sending
    assert outcome.transfers == [pytest.approx(left, rel=1e-9)]
    assert outcome.served[0].finished == pytest.approx(alone.finished + left, rel=1e-9)


@given(st.lists(st.tuples(st.integers(1, 4000), st.floats(0, 0.2)), min_size=1, max_size=10))
def test_sending_by_layer_is_never_later(prompts: list[tuple[int, float]]) -> None:
    now, jobs = 0.0, []
    for prompt, pause in prompts:
        start = now + pause
        now = start + CLOCK.seconds(prompt, 1, prompt * (prompt + 1) // 2, prompt)
        job = ServedRequest(Lengths(prompt, 2, arrival=0.0), 0.0, prompt, start, now, now)
        jobs.append(job)
    late = send(jobs, CLOCK, LINKS["25g"], by_layer=False)
    early = send(jobs, CLOCK, LINKS["25g"], by_layer=True)
    fast = send(jobs, CLOCK, LINKS["400g"], by_layer=True)
    assert all(f <= e * (1 + 1e-9) for f, e in zip(fast, early, strict=True))
    assert all(e <= w * (1 + 1e-9) for e, w in zip(early, late, strict=True))


def slowly(requests: list[Lengths], clock: StepClock, policy: StepPolicy) -> list[list[float]]:
    """The same rules token by token, for one machine with room for all: times of all tokens."""
    now, tokens = 0.0, [list[float]() for _ in requests]
    order = sorted(range(len(requests)), key=lambda i: requests[i].arrival or 0)
    computed, due = [0] * len(requests), False
    while any(len(tokens[i]) < requests[i].output for i in order):
        here = [i for i in order if (requests[i].arrival or 0) <= now]
        decoding = [i for i in here if 0 < len(tokens[i]) < requests[i].output]
        prompts: list[tuple[int, int]] = []
        room = policy.budget - (len(decoding) if policy.mixed else 0)
        for i in here:
            left = requests[i].prompt - computed[i]
            if not left or (due and decoding):
                continue
            n = min(left, max(room, 0)) if policy.split else left
            if not n or (not policy.split and prompts and n > room):
                break
            prompts.append((i, n))
            room -= n
        if prompts and not policy.mixed:
            decoding = []
        if not prompts and not decoding:
            now = min(t for i in order if (t := requests[i].arrival or 0) > now)
            continue
        load = StepLoad()
        for i in decoding:
            load += decode_load(1, requests[i].prompt + len(tokens[i]))
        for i, n in prompts:
            last = computed[i] + n == requests[i].prompt
            load += prefill_load(n, computed[i], last=last)
        now += clock.seconds(load.fed, load.chosen, load.pairs, load.kv_read)
        for i in decoding:
            tokens[i].append(now)
        for i, n in prompts:
            computed[i] += n
            if computed[i] == requests[i].prompt:
                tokens[i].append(now)
        due = policy.in_turns and bool(prompts)
    return tokens


@settings(deadline=None)
@given(requests_in_time, st.sampled_from(POLICIES), st.sampled_from([64, 512]))
def test_sums_over_a_batch_say_what_every_token_says(
    requests: list[Lengths], name: str, budget: int
) -> None:
    requests = [replace(r, arrival=(r.arrival or 0) + i / 1000) for i, r in enumerate(requests)]
    found = serve_together(requests, CLOCK, policy(name, budget))
    tokens = slowly(requests, CLOCK, policy(name, budget))
    assert times(found) == [pytest.approx((t[0], t[-1]), rel=1e-9) for t in tokens]
    gaps = sorted(b - a for t in tokens for a, b in itertools.pairwise(t))
    counted = sorted(gap for gap, count in found.gaps for _ in range(count))
    assert counted == pytest.approx(gaps, abs=1e-9)


def test_what_never_fits_is_refused_and_the_rest_is_served() -> None:
    requests = [Lengths(5000, 5, arrival=0.0), Lengths(100, 5, arrival=0.1)]
    for outcome in (
        serve_together(requests, SMALL, policy("chunked")),
        serve_apart(requests, SMALL, 1e9),
        serve_apart([Lengths(3700, 500, arrival=0.0), requests[1]], SMALL, 1e9),
    ):
        assert outcome.refused == 1
        assert [served.lengths.prompt for served in outcome.served] == [100]
    empty = serve_together([], SMALL, policy("whole"))
    assert (empty.seconds, goodput(empty, Limits(1, 1)), empty.gaps) == (0, 0, [])
    with pytest.raises(ValueError, match="without a time of arrival"):
        serve_together([Lengths(1, 1)], SMALL, policy("whole"))
    with pytest.raises(ValueError, match="unknown policy 'x'; known: prefill-first, whole"):
        policy("x")


def test_very_many_gaps_are_kept_to_the_microsecond(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = drawn(100, 1.0)
    exact = serve_together(requests, CLOCK, policy("whole"))
    monkeypatch.setattr(machine, "MANY_GAPS", 10)
    rounded = serve_together(requests, CLOCK, policy("whole"))
    assert len(rounded.gaps) < len(exact.gaps) / 2
    counts = [sum(count for _, count in outcome.gaps) for outcome in (rounded, exact)]
    assert counts[0] == counts[1] and times(rounded) == times(exact)
    percents = [1, 50, 90, 99, 100]
    assert weighted_percentiles(rounded.gaps, percents) == pytest.approx(
        weighted_percentiles(exact.gaps, percents), abs=1e-6
    )


def test_at_most_so_many_run_at_a_time() -> None:
    requests = [ServedRequest(Lengths(10, 20, arrival=0.0), 0.0) for _ in range(9)]
    log = ServingMachine(CLOCK, policy("whole"), most_running=4).serve(requests)
    assert max(count for _, count in log.gaps) == 4
    assert all(request.finished > 0 for request in requests)


def test_percentiles_limits_and_histogram() -> None:
    assert [percentile(range(1, 101), p) for p in (1, 50, 99, 100)] == [1, 50, 99, 100]
    assert weighted_percentiles([(5.0, 1), (1.0, 99)], [50, 99, 99.5, 100]) == [1, 1, 5, 5]
    assert percentile([], 50) == 0
    one = ServedRequest(Lengths(10, 5, arrival=1.0), 1.0, 10, 1.0, 1.5, 1.9)
    assert (one.ttft, one.tpot) == (0.5, pytest.approx(0.1))
    assert ServedRequest(Lengths(10, 1, arrival=1.0), 1.0, 10, 1.0, 1.5, 1.5).tpot == 0
    assert attainment([one], Limits(0.5, 0.11)) == 1 and attainment([], Limits(1, 1)) == 0
    assert not Limits(0.4, 0.2).met(one) and not Limits(0.6, 0.05).met(one)
    assert goodput(LatencyOutcome([one, one], []), Limits(0.5, 0.11)) == pytest.approx(2 / 0.9)
    assert histogram([(0.005, 1), (0.01, 2), (3, 1)], (10, 100)) == [0.25, 0.5, 0.25]
    assert histogram([]) == [0.0] * 9


@pytest.mark.parametrize("good", [0.013, 0.7, 1.0, 2.5, 37.0])
def test_the_highest_rate_is_found(good: float) -> None:
    assert highest_rate(lambda rate: float(rate <= good)) == pytest.approx(good, rel=0.02)


def test_rates_without_end_end() -> None:
    assert highest_rate(lambda rate: 1.0) > 500
    assert highest_rate(lambda rate: 0.0) == 0


def test_poisson_arrivals_and_a_traces_own() -> None:
    requests = drawn(4000, 5.0)
    arrivals = [request.arrival or 0 for request in requests]
    assert arrivals == sorted(arrivals)
    assert len(arrivals) / arrivals[-1] == pytest.approx(5, rel=0.05)
    prompts = [request.prompt for request in drawn(4000, 1)]
    assert percentile(prompts, 50) == pytest.approx(1730, rel=0.15)  # without what is too long
    trace = [Lengths(1, 1, arrival=7.0), Lengths(2, 1), Lengths(3, 1, arrival=5.0)]
    assert [(r.prompt, r.arrival) for r in own_times(trace)] == [(3, 0.0), (1, 2.0)]
    assert [r.arrival for r in own_times(trace, 0.25)] == [0.0, 4.0]
    assert own_times([Lengths(2, 1)]) == []
    assert [r.arrival for r in own_times([Lengths(1, 1, arrival=3.0)] * 2, 9)] == [0.0, 0.0]
    with pytest.raises(ValueError, match="hardly a request of arxiv_summarization has at most 9"):
        QUANTILE_WORKLOADS["arxiv"].draw(3, random.Random(0), 9)


def test_ten_thousand_requests_take_seconds() -> None:
    requests = drawn(10_000, 5.0)
    start = time.process_time()
    for name in ("prefill-first", "whole", "chunked"):
        assert len(serve_together(requests, CLOCK, policy(name), 2).served) == 10_000
    assert len(serve_apart(requests, CLOCK, LINKS["400g"]).served) == 10_000
    assert time.process_time() - start < 10


# Shapes that were published


def gap99(outcome: LatencyOutcome) -> float:
    return weighted_percentiles(outcome.gaps, [99])[0]


def test_chunks_take_the_stalls_away_and_a_mean_hides_them() -> None:
    requests = drawn(600, 2.0)
    first = serve_together(requests, CLOCK, policy("prefill-first"))
    chunked = serve_together(requests, CLOCK, policy("chunked"))
    assert max(first.gaps)[0] > 20 * max(chunked.gaps)[0]
    assert percentile([s.tpot for s in first.served], 50) < 2 * percentile(
        [s.tpot for s in chunked.served], 50
    )
    full = CLOCK.seconds(512, 512, 0, 0)
    assert full < max(chunked.gaps)[0] < 2 * full  # a step that is full, and its attention
    ttft = [mean(s.ttft for s in outcome.served) for outcome in (first, chunked)]
    assert ttft[0] < ttft[1]  # chunked prefill makes the prompt no faster
    assert first.seconds == pytest.approx(chunked.seconds, rel=0.05)  # throughput: the same


def test_at_low_load_chunks_make_the_99th_percentile_worse_and_the_maximum_better() -> None:
    requests = drawn(200, 0.2)
    first = serve_together(requests, CLOCK, policy("prefill-first"))
    chunked = serve_together(requests, CLOCK, policy("chunked"))
    assert gap99(first) < gap99(chunked)
    assert max(chunked.gaps) < max(first.gaps)


def test_in_the_order_of_sarathi_serves_table_4() -> None:
    # Yi-34B on two A100, budget 1,024, 128 requests. P50 TTFT / P99 TBT in seconds:
    # hybrid batches alone 0.53 / 0.68, chunks alone 1.04 / 0.17, both 0.76 / 0.14.
    clock = StepClock(SHAPES["yi-34b"], MACHINES["a100"].times(2))
    requests = drawn(128, 0.9)
    found = {
        name: serve_together(requests, clock, policy(name, 1024))
        for name in ("whole", "chunks alone", "chunked")
    }
    ttft = {name: percentile([s.ttft for s in o.served], 50) for name, o in found.items()}
    assert ttft["whole"] < ttft["chunked"] < ttft["chunks alone"]
    tbt = {name: gap99(outcome) for name, outcome in found.items()}
    assert tbt["chunked"] < tbt["chunks alone"] < tbt["whole"] / 2


def test_in_the_shape_of_distserves_table_2() -> None:
    # Share within the limits at 1.0 … 4.0 requests/s: vLLM 97 → 24 %, DistServe-Low 100 → 70 %.
    # Its vLLM computed prompts first. Set-up, model and limits are others here.
    limits = Limits(1.0, 0.03)
    together, apart = [], []
    for rate in (2.0, 3.0, 4.0, 5.0):
        requests = drawn(1000, rate)
        first = serve_together(requests, CLOCK, policy("prefill-first"), 2)
        together.append(attainment(first.served, limits))
        split = serve_apart(requests, CLOCK, LINKS["400g"])
        apart.append(attainment(split.served, limits))
        assert percentile(split.transfers, 95) < 0.03  # as the paper has it
    assert together == sorted(together, reverse=True) and apart == sorted(apart, reverse=True)
    assert together[0] > 0.99 and apart[0] > 0.99
    assert [a - t > 0.1 for a, t in zip(apart, together, strict=True)] == [False, False, True, True]
