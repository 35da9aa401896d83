"""Requests with times of arrival: drawn at a rate, or a trace's own.

The lengths of two workloads are published as median and 90th percentile (Agrawal et al.,
"Sarathi-Serve", 2024, table 2). A log-normal distribution has both; the shape is a guess.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass, replace

from walkthrough.serving.workloads import Lengths

Z90 = 1.2815515655446004  # standard deviations from the median to the 90th percentile


@dataclass(frozen=True)
class QuantileWorkload:
    """Published medians and 90th percentiles, in tokens."""

    name: str
    prompt: tuple[float, float]  # median, 90th percentile
    output: tuple[float, float]

    def draw(self, count: int, rng: random.Random, longest: int) -> list[Lengths]:
        """Requests of at most `longest` tokens; longer ones are drawn again.

        Raises ValueError where nearly all would be longer.
        """
        drawn: list[Lengths] = []
        tries = 0
        while len(drawn) < count:
            prompt, output = (draw_lognormal(rng, *known) for known in (self.prompt, self.output))
            if prompt + output <= longest:
                drawn.append(Lengths(prompt, output))
            tries += 1
            if tries > 1000 + 100 * len(drawn):
                raise ValueError(f"hardly a request of {self.name} has at most {longest} tokens")
        return drawn


def draw_lognormal(rng: random.Random, median: float, p90: float) -> int:
    """A log-normal number of tokens with this median and 90th percentile, at least 1."""
    return max(1, round(rng.lognormvariate(math.log(median), math.log(p90 / median) / Z90)))


QUANTILE_WORKLOADS = {
    "openchat": QuantileWorkload("openchat_sharegpt4", (1730, 5696), (415, 834)),
    "arxiv": QuantileWorkload("arxiv_summarization", (7059, 12985), (208, 371)),
}


def poisson(requests: Iterable[Lengths], rate: float, rng: random.Random) -> list[Lengths]:
    """The requests one after the other at a rate (requests a second), each gap on its own.

    The gaps of a Poisson process are exponential: many short ones, and now and then a long one.
    """
    now = 0.0
    timed = []
    for request in requests:
        now += rng.expovariate(rate)
        timed.append(replace(request, arrival=now))
    return timed


def own_times(requests: Iterable[Lengths], rate: float | None = None) -> list[Lengths]:
    """A trace's requests in order of arrival, the first at 0; with a rate, stretched to it.

    Those without a time are left out.
    """
    known = sorted((r.arrival, i, r) for i, r in enumerate(requests) if r.arrival is not None)
    if not known:
        return []
    first, last = known[0][0], known[-1][0]
    stretch = 1.0
    if rate is not None and last > first:
        stretch = (len(known) - 1) / rate / (last - first)
    return [replace(r, arrival=(arrival - first) * stretch) for arrival, _, r in known]
