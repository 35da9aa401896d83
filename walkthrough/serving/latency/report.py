"""What `walkthrough simulate --latency` says, around its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from walkthrough.reference.speed.machines import LINKS
from walkthrough.serving.latency import pictures, tables
from walkthrough.serving.latency.figures import Limits, percentile
from walkthrough.serving.latency.policies import LatencyOutcome
from walkthrough.serving.latency.setting import ALL_WORKLOADS, RATE, LatencySetting, Source
from walkthrough.serving.latency.words import WORDS
from walkthrough.serving.workloads import WORKLOADS, Lengths

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen

LINE_WIDTH = 80  # of the timeline, at most


def say_source(
    source: Source,
    requests: Sequence[Lengths],
    rate: float | None,
    name: str,
    screen: Screen,
    language: str,
) -> None:
    """What the requests are; `name` is the trace's."""
    words, count = WORDS[language], len(requests)
    facts = {
        "count": f"{count:,}",
        "prompt": f"{sum(r.prompt for r in requests) / count:,.1f}",
        "output": f"{sum(r.output for r in requests) / count:,.1f}",
    }
    if source.trace is None:
        known = words["known.mean" if source.workload in WORKLOADS else "known.median"]
        name = ALL_WORKLOADS[source.workload].name
        text = words["drawn"].format(name=name, known=known, rate=rate or RATE, **facts)
    else:
        mean = rate or (count - 1) / (requests[-1].arrival or 1)
        kind = "read" if rate is None else "read.stretched"
        text = words[kind].format(name=name, rate=mean, **facts)
        if any(request.content for request in requests):
            text += " " + words["content"]
        if source.untimed:
            text += " " + words["left-out"].format(count=source.untimed)
    screen.prose(text)
    screen.text()


def say_setting(setting: LatencySetting, screen: Screen, language: str) -> None:
    """The machines, what is assumed of them, and what each policy does."""
    words, clock = WORDS[language], setting.clock()
    screen.prose(
        words["setting"].format(
            model=setting.model,
            machine=clock.machine.name,
            machines=setting.machines,
            efficiency=100 * clock.efficiency,
            host=1000 * clock.host,
            capacity=f"{clock.capacity:,}",
        )
    )
    screen.text()
    names = {"first": "prefill-first", "whole": "whole", "chunked": "chunked"}
    ways = words["ways"].format(
        budget=setting.budget, **{key: words[name] for key, name in names.items()}
    )
    if "disaggregated" in setting.names:
        ways += " " + words["ways.apart"].format(
            apart=words["disaggregated"],
            first=setting.prefill_machines,
            second=setting.machines - setting.prefill_machines,
            link=LINKS[setting.link] / 1e9,
            how=words["by-layer" if setting.by_layer else "at-end"],
        )
    screen.prose(ways)
    screen.text()


def show_latency(
    outcomes: Mapping[str, LatencyOutcome],
    limits: Limits,
    screen: Screen,
    language: str,
    *,
    drawn: bool = False,
) -> None:
    """Percentiles, limits, who was refused, transfers, a histogram, the machines over time.

    `drawn`: on a page, where pictures take the place of those in characters.
    """
    words = WORDS[language]
    screen.table(tables.ttft_table(outcomes, limits, language))
    screen.text()
    screen.table(tables.gap_table(outcomes, language))
    screen.text()
    screen.prose(words["limits"].format(ttft=1000 * limits.ttft, tpot=1000 * limits.tpot))
    screen.text()
    refused = [f"{words[name]} {o.refused:,}" for name, o in outcomes.items() if o.refused]
    if refused:
        screen.prose(words["refused"].format(counts=", ".join(refused)))
        screen.text()
    if transfers := [t for outcome in outcomes.values() for t in outcome.transfers]:
        median, p95 = (1000 * percentile(transfers, p) for p in (50, 95))
        screen.prose(words["transfers"].format(median=median, p95=p95))
        screen.text()
    if drawn:
        pictures.show_pictures(outcomes, limits, screen, language)
        screen.prose(words["drawn.note"])
        return
    screen.table(tables.histogram_table(outcomes, language))
    labels = [screen.charset.readable(label) for label in tables.lanes(outcomes, language)]
    width = screen.width - max(map(cell_len, labels)) - 4
    lanes = tables.timeline_table(outcomes, language, max(20, min(LINE_WIDTH, width)))
    if lanes is None:
        return
    table, cell = lanes
    screen.text()
    screen.table(table)
    screen.text()
    screen.prose(words["legend"].format(cell=1000 * cell))


def show_sarathi(
    outcomes: Mapping[str, LatencyOutcome], workload: str, screen: Screen, language: str
) -> None:
    """Medians of TTFT and tails of gaps beside the published ones."""
    screen.text()
    screen.table(tables.sarathi_table(outcomes, workload, language))
    screen.text()
    screen.prose(WORDS[language]["sarathi.note"])


def show_rates(
    shares: Mapping[str, Sequence[float]],
    rates: Sequence[float],
    screen: Screen,
    language: str,
    *,
    drawn: bool = False,
) -> None:
    """The share within the limits (%) at each rate, and DistServe's published one.

    `drawn`: on a page, as curves, too.
    """
    words = WORDS[language]
    if drawn:
        screen.draw(pictures.rate_curves(shares, rates, words["attainment"], language))
        screen.draw(
            pictures.rate_curves(
                tables.DISTSERVE, tables.DISTSERVE_RATES, words["distserve"], language
            )
        )
    screen.table(tables.attainment_table(shares, rates, language))
    screen.text()
    best = []
    for name, row in shares.items():
        good = [rate for rate, share in zip(rates, row, strict=True) if share >= 90]
        found = f"{max(good):g}" if good else words["none-good"]
        best.append(f"{words[name]} {found}")
    screen.prose(words["best"].format(rates=", ".join(best)))
    screen.text()
    published = tables.DISTSERVE, tables.DISTSERVE_RATES
    screen.table(tables.attainment_table(*published, language, words["distserve"]))
    screen.text()
    screen.prose(words["distserve.note"])
