"""What is said of latencies: percentiles, the share within limits, goodput, a histogram.

TTFT is arrival to first token, the queue included. TPOT is a request's mean, (end − first
token) / (output tokens − 1); a gap is what really lies between two tokens. Tools differ in
these definitions (vLLM's benchmark has these): compare equal ones alone.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from walkthrough.serving.latency.policies import LatencyOutcome
from walkthrough.serving.latency.served import ServedRequest

EDGES = (10, 20, 50, 100, 200, 500, 1000, 2000)  # of the histogram, in milliseconds


@dataclass(frozen=True)
class Limits:
    """Service-level objectives of a request, in seconds."""

    ttft: float
    tpot: float

    def met(self, request: ServedRequest) -> bool:
        """Whether a request was served within both."""
        return request.ttft <= self.ttft and request.tpot <= self.tpot


def percentile(values: Iterable[float], percent: float) -> float:
    """The smallest value that at least `percent` % of the values do not exceed."""
    return weighted_percentiles(((value, 1) for value in values), [percent])[0]


def weighted_percentiles(
    values: Iterable[tuple[float, int]], percents: Sequence[float]
) -> list[float]:
    """The same of values that count several times each; zeros where there is none."""
    ordered = sorted(values)
    upto = [*itertools.accumulate(count for _, count in ordered)]
    if not ordered:
        return [0.0] * len(percents)
    places = [bisect_left(upto, percent / 100 * upto[-1]) for percent in percents]
    return [ordered[min(place, len(ordered) - 1)][0] for place in places]


def attainment(served: Sequence[ServedRequest], limits: Limits) -> float:
    """The share of requests within the limits, 0 to 1."""
    return sum(map(limits.met, served)) / len(served) if served else 0.0


def goodput(outcome: LatencyOutcome, limits: Limits) -> float:
    """Requests within the limits, each second."""
    met = sum(map(limits.met, outcome.served))
    return met / outcome.seconds if met else 0.0


def highest_rate(
    share_at: Callable[[float], float], wanted: float = 0.9, start: float = 1.0, halvings: int = 6
) -> float:
    """DistServe's goodput: the highest rate whose share within the limits is at least `wanted`.

    Doubles or halves the rate until it lies between two of which one is good, then halves what
    lies between. 0 where even a thousandth of `start` is too much.
    """
    low = high = start
    while share_at(high) >= wanted:
        low, high = high, 2 * high
        if high > 1000 * start:
            return low
    while low == high or share_at(low) < wanted:
        low, high = low / 2, low
        if low < start / 1000:
            return 0.0
    for _ in range(halvings):
        middle = (low + high) / 2
        if share_at(middle) >= wanted:
            low = middle
        else:
            high = middle
    return low


def histogram(gaps: Iterable[tuple[float, int]], edges: Sequence[float] = EDGES) -> list[float]:
    """The share of gaps below the first edge (ms), between it and the next, …, above the last."""
    counts = [0] * (len(edges) + 1)
    for seconds, count in gaps:
        counts[bisect_right(edges, 1000 * seconds)] += count
    total = sum(counts)
    return [count / total if total else 0.0 for count in counts]
