"""What `walkthrough simulate --latency` prints: figures, a histogram, machines over time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from walkthrough.display.drawing.picture import Strip
from walkthrough.display.table import Table
from walkthrough.serving.latency.figures import (
    EDGES,
    Limits,
    attainment,
    goodput,
    histogram,
    percentile,
    weighted_percentiles,
)
from walkthrough.serving.latency.policies import LatencyOutcome
from walkthrough.serving.latency.words import WORDS

Outcomes = Mapping[str, LatencyOutcome]
BAR = 6  # characters
KINDS = {"prefill": "#", "mixed": "+", "decode": "-"}

# Zhong et al., "DistServe" (2024), table 2: share of requests within the limits (%), real.
DISTSERVE: dict[str, tuple[float, ...]] = {
    "vLLM": (97.0, 65.5, 52.8, 44.9, 36.7, 27.8, 23.6),
    "DistServe-Low": (100, 100, 99.3, 87.3, 83.0, 77.3, 70.0),
}
DISTSERVE_RATES = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
# Agrawal et al., "Sarathi-Serve" (2024), table 4: P50 of TTFT, P99 of the gaps (TBT), seconds.
SARATHI: dict[str, dict[str, tuple[float, float]]] = {
    "openchat": {"whole": (0.53, 0.68), "chunks alone": (1.04, 0.17), "chunked": (0.76, 0.14)},
    "arxiv": {"whole": (3.78, 1.38), "chunks alone": (5.38, 0.20), "chunked": (3.90, 0.17)},
}


def ttft_table(outcomes: Outcomes, limits: Limits, language: str) -> Table:
    """Percentiles of TTFT, the share within the limits, goodput."""
    words = WORDS[language]
    cells = []
    for outcome in outcomes.values():
        ttft = [request.ttft for request in outcome.served]
        shares = 100 * attainment(outcome.served, limits), goodput(outcome, limits)
        cells.append([*(percentile(ttft, p) for p in (50, 90, 99)), max(ttft), *shares])
    heads = ["P50", "P90", "P99", words["max"], words["within"], words["goodput"]]
    rows = [words[name] for name in outcomes]
    return Table(words["ttft.title"], cells, rows, heads, digits=[2, 2, 2, 2, 1, 2])


def gap_table(outcomes: Outcomes, language: str) -> Table:
    """Percentiles of TPOT and of the gaps between two tokens of a request."""
    words = WORDS[language]
    cells = []
    for outcome in outcomes.values():
        tpot = [1000 * request.tpot for request in outcome.served]
        gaps = weighted_percentiles(outcome.gaps, (50, 99, 100))
        row = [percentile(tpot, p) for p in (50, 90, 99)] + [1000 * gap for gap in gaps]
        cells.append(row)
    heads = [f"TPOT P{p}" for p in (50, 90, 99)]
    heads += [f"{words['gap']} {what}" for what in ("P50", "P99", words["max"])]
    rows = [words[name] for name in outcomes]
    return Table(words["gaps.title"], cells, rows, heads, digits=[1, 1, 1, 1, 1, 0])


def histogram_table(outcomes: Outcomes, language: str) -> Table:
    """How many gaps are how long: a bar, and the share in percent."""
    words = WORDS[language]
    edges = [f"{edge:,}" for edge in EDGES]
    rows = [f"< {edges[0]}"]
    rows += [f"{low} - {high}" for low, high in itertools.pairwise(edges)]
    rows.append(f">= {edges[-1]}")
    columns = [histogram(outcome.gaps) for outcome in outcomes.values()]
    cells = [[_bar(column[i]) for column in columns] for i in range(len(rows))]
    used = [i for i in range(len(rows)) if any(column[i] for column in columns)]
    kept = range(used[0], used[-1] + 1) if used else range(0)
    heads = [words[name] for name in outcomes]
    return Table(words["histogram"], [cells[i] for i in kept], [rows[i] for i in kept], heads)


def _bar(share: float) -> str:
    """At least a character for what is there at all, however rare."""
    if not share:
        return f"{'':{BAR}} {'-':>6}"
    percent = f"{100 * share:.3f}" if share < 0.0001 else f"{100 * share:.2f}"
    return f"{'#' * max(1, round(BAR * share)):{BAR}} {percent:>6}"


def lane(spans: Sequence[tuple[float, float, str]], start: float, cell: float, width: int) -> str:
    """A machine over time, a character for each `cell` seconds from `start` on."""
    times = [dict.fromkeys(KINDS, 0.0) for _ in range(width)]
    for begin, end, kind in spans:
        if end <= start or begin >= start + cell * width:
            continue
        first = max(0, int((begin - start) / cell))
        for i in range(first, min(width, int((end - start) / cell) + 1)):
            left = start + i * cell
            times[i][kind] += max(0.0, min(end, left + cell) - max(begin, left))
    text = ""
    for kinds in times:
        busiest = max(kinds, key=kinds.__getitem__)
        text += KINDS[busiest] if sum(kinds.values()) > cell / 2 else "."
    return Strip(text)


def lanes(outcomes: Outcomes, language: str) -> list[str]:
    """What the lines of `timeline_table` are called, whichever machine it shows."""
    return [label for label, _ in machine_spans(outcomes, language, 0)]


def machine_spans(
    outcomes: Outcomes, language: str, place: int
) -> Iterator[tuple[str, Sequence[tuple[float, float, str]]]]:
    """Machine number `place` of those that do both phases, and every one that does not."""
    words = WORDS[language]
    for name, outcome in outcomes.items():
        apart = name == "disaggregated"
        for i, log in enumerate(outcome.machines):
            if apart or i == place:
                kind = "lane" if not apart else "lane.decode" if log.gaps else "lane.prefill"
                yield words[kind].format(name=words[name], i=i + 1), log.spans


@dataclass(frozen=True)
class LongestGap:
    """The longest gap of all: its policy, the place of its machine, and a time around it."""

    gap: float
    name: str
    place: int
    start: float
    length: float


def longest_gap(outcomes: Outcomes) -> LongestGap | None:
    """Where it is; None where no request has two tokens."""
    found = [
        (log.longest, i if name != "disaggregated" else 0, name)
        for name, outcome in outcomes.items()
        for i, log in enumerate(outcome.machines)
        if log.gaps
    ]
    if not found:
        return None
    (gap, end), place, name = max(found)
    length = max(2.5 * gap, 0.25)
    return LongestGap(gap, name, place, max(0.0, end - 0.7 * length), length)


def timeline_table(outcomes: Outcomes, language: str, width: int) -> tuple[Table, float] | None:
    """The machines around the longest gap of all, and how many seconds a character is."""
    around = longest_gap(outcomes)
    if around is None:
        return None
    start, length = around.start, around.length
    cell = length / width
    spans = [*machine_spans(outcomes, language, around.place)]
    words = WORDS[language]
    title = words["timeline"].format(gap=1000 * around.gap, name=words[around.name])
    left, right = f"{start:.2f} s", f"{start + length:.2f} s"
    head = left + " " * (width - len(left) - len(right)) + right
    cells = [[lane(each, start, cell, width)] for _, each in spans]
    return Table(title, cells, [label for label, _ in spans], [head]), cell


def attainment_table(
    shares: Mapping[str, Sequence[float]], rates: Sequence[float], language: str, title: str = ""
) -> Table:
    """The share within the limits (%), a row a rate and a column a policy."""
    words = WORDS[language]
    cells = [[row[i] for row in shares.values()] for i in range(len(rates))]
    heads = [words.get(name, name) for name in shares]
    rows = [f"{rate:g}" for rate in rates]
    return Table(
        title or words["attainment"],
        cells,
        rows,
        heads,
        corner=words["per-second"],
        digits=[1] * len(heads),
    )


def sarathi_table(outcomes: Outcomes, workload: str, language: str) -> Table:
    """Medians of TTFT and 99th percentiles of gaps beside the published ones."""
    words = WORDS[language]
    cells = []
    for name, published in SARATHI[workload].items():
        outcome = outcomes[name]
        ttft = percentile((request.ttft for request in outcome.served), 50)
        cells.append(
            [ttft, published[0], weighted_percentiles(outcome.gaps, [99])[0], published[1]]
        )
    heads = [f"{what} {words[who]}" for what in ("TTFT", "TBT") for who in ("simulated", "paper")]
    rows = [words[name] for name in SARATHI[workload]]
    return Table(words["sarathi"], cells, rows, heads, digits=[2] * 4)
