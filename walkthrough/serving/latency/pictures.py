"""What a page draws of requests in time: percentiles, gaps, machines and requests as SVG."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from walkthrough.display.drawing.bars_svg import BarPicture, PercentilePicture
from walkthrough.display.drawing.spans_svg import Span, SpanPicture
from walkthrough.display.plots import CurvePicture
from walkthrough.serving.latency import tables
from walkthrough.serving.latency.figures import (
    EDGES,
    Limits,
    histogram,
    percentile,
    weighted_percentiles,
)
from walkthrough.serving.latency.served import ServedRequest
from walkthrough.serving.latency.words import WORDS

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.serving.latency.tables import Outcomes

MOST_REQUESTS = 24  # of a picture


def show_pictures(outcomes: Outcomes, limits: Limits, page: Screen, language: str) -> None:
    """All of them, on a page."""
    words = WORDS[language]
    named = {words[name]: outcome for name, outcome in outcomes.items()}
    percents = (50, 90, 99, 100)
    heads = ["P50", "P90", "P99", words["max"]]
    ttft = {n: [percentile((r.ttft for r in o.served), p) for p in percents]
            for n, o in named.items()}  # fmt: skip
    page.draw(PercentilePicture(words["ttft.title"], heads, ttft, limits.ttft, "s"))
    tpot = {n: [1000 * percentile((r.tpot for r in o.served), p) for p in percents]
            for n, o in named.items()}  # fmt: skip
    page.draw(PercentilePicture(words["tpot.title"], heads, tpot, 1000 * limits.tpot, "ms"))
    gaps = {n: [1000 * gap for gap in weighted_percentiles(o.gaps, percents)]
            for n, o in named.items()}  # fmt: skip
    page.draw(PercentilePicture(words["gaps.only"], heads, gaps, None, "ms"))
    page.draw(gap_bars(outcomes, language))
    for picture in timelines(outcomes, language):
        page.draw(picture)


def gap_bars(outcomes: Outcomes, language: str) -> BarPicture:
    """How many gaps are how long."""
    words = WORDS[language]
    bins = [f"< {EDGES[0]}", *(f"{low:,}–{high:,}" for low, high in itertools.pairwise(EDGES))]
    bins.append(f"≥ {EDGES[-1]:,}")
    shares = {words[name]: histogram(outcome.gaps) for name, outcome in outcomes.items()}
    used = [i for i in range(len(bins)) if any(share[i] for share in shares.values())]
    kept = slice(used[0], used[-1] + 1) if used else slice(0)
    return BarPicture(
        words["histogram"], bins[kept], {name: share[kept] for name, share in shares.items()}
    )


def timelines(outcomes: Outcomes, language: str) -> Iterator[SpanPicture]:
    """The machines around the longest gap, then the requests of each policy at that time."""
    words, around = WORDS[language], tables.longest_gap(outcomes)
    if around is None:
        return
    kinds = {kind: words[f"kind.{kind}"] for kind in ("waits", "prefill", "mixed", "decode")}
    title = words["timeline"].format(gap=1000 * around.gap, name=words[around.name])
    lanes = [*tables.machine_spans(outcomes, language, around.place)]
    drawn = SpanPicture(title, lanes, around.start, around.start + around.length, kinds)
    yield replace(drawn, kinds={kind: kinds[kind] for kind in ("prefill", "mixed", "decode")})
    for name, outcome in outcomes.items():
        seen = [
            (words["request"].format(number=i), request_spans(request))
            for i, request in enumerate(outcome.served, 1)
            if request.arrival < drawn.end and request.finished > drawn.start
        ]
        title = words["requests"].format(name=words[name], count=min(len(seen), MOST_REQUESTS))
        kept = {kind: kinds[kind] for kind in ("waits", "prefill", "decode")}
        if seen:
            yield replace(drawn, title=title, lanes=seen[-MOST_REQUESTS:], kinds=kept)


def rate_curves(
    shares: Mapping[str, Sequence[float]], rates: Sequence[float], title: str, language: str
) -> CurvePicture:
    """The share within the limits (%) over the rate, a curve for each policy."""
    words = WORDS[language]
    order = sorted(range(len(rates)), key=rates.__getitem__)
    named = {words.get(name, name): [row[i] for i in order] for name, row in shares.items()}
    return CurvePicture(named, [rates[i] for i in order], title, words["per-second"])


def request_spans(request: ServedRequest) -> Sequence[Span]:
    """A request waits, its prompt is computed (in one step or several), then it decodes."""
    return [
        (request.arrival, request.prefill_start, "waits"),
        (request.prefill_start, request.first_token, "prefill"),
        (request.first_token, request.finished, "decode"),
    ]
