"""`walkthrough simulate --latency`: when the tokens of many requests come, policy by policy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import UsageError
from walkthrough.commands.console import progress
from walkthrough.commands.latency.options import add_arguments as add_arguments
from walkthrough.commands.latency.options import asked as asked
from walkthrough.commands.latency.options import setting_of
from walkthrough.commands.report import page_screen, write_page
from walkthrough.serving.latency.words import WORDS

if TYPE_CHECKING:
    from walkthrough.display.drawing.document import DocumentScreen
    from walkthrough.display.screen import Screen
    from walkthrough.serving.latency.policies import LatencyOutcome
    from walkthrough.serving.traces import Trace


def main(
    options: argparse.Namespace, screen: Screen, language: str, trace: Trace | None = None
) -> int:
    """Serve a workload, or a trace, under each policy, and print when its tokens came."""
    from walkthrough.serving.latency.setting import LatencySettingError

    words = WORDS[language]
    page = page_screen(screen, language) if options.html else None
    try:
        _simulate(options, screen, language, trace, page)
    except LatencySettingError as error:
        text = words[error.kind].format(**{"path": options.trace, **error.fields})
        raise UsageError(text) from error
    if page:
        write_page(options.html, page, words["page"], screen, language)
    return 0


def _simulate(
    options: argparse.Namespace,
    screen: Screen,
    language: str,
    trace: Trace | None,
    page: DocumentScreen | None,
) -> None:
    from walkthrough.serving.latency import report
    from walkthrough.serving.latency.figures import attainment
    from walkthrough.serving.latency.setting import Source
    from walkthrough.serving.latency.tables import SARATHI

    words = WORDS[language]
    setting = setting_of(options)
    capacity = setting.clock().capacity
    workload = options.workload or Source.workload
    source = Source(workload, trace, options.requests, options.longest, options.seed)
    name = options.trace.name if options.trace else ""

    def serve(way: str) -> LatencyOutcome:
        with progress(words["serving"].format(name=words[way]), len(requests)) as advance:
            return setting.serve(way, requests, lambda: advance(1))

    places: list[Screen] = [screen, page] if page else [screen]
    rates: list[float | None] = options.rates or [options.rate]
    shares: dict[str, list[float]] = {way: [] for way in setting.names}
    for rate in rates:
        requests = source.requests(rate, capacity)
        if rate == rates[0]:
            for place in places:
                report.say_source(source, requests, rate, name, place, language)
                report.say_setting(setting, place, language)
        outcomes = {way: serve(way) for way in setting.names}
        for way, outcome in outcomes.items():
            shares[way].append(100 * attainment(outcome.served, setting.limits))
    paper = not options.rates and trace is None and workload in SARATHI
    beside = {**outcomes, "chunks alone": serve("chunks alone")} if paper else {}
    for place in places:
        if options.rates:
            report.show_rates(shares, options.rates, place, language, drawn=place is page)
            continue
        report.show_latency(outcomes, setting.limits, place, language, drawn=place is page)
        if paper:
            report.show_sarathi(beside, workload, place, language)
