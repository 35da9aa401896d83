"""`walkthrough simulate --latency`: when the tokens of many requests come, policy by policy."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import UsageError
from walkthrough.commands.console import progress
from walkthrough.commands.latency.options import add_arguments as add_arguments
from walkthrough.commands.latency.options import asked as asked
from walkthrough.commands.latency.options import setting_of
from walkthrough.serving.latency.words import WORDS

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.serving.latency.policies import LatencyOutcome
    from walkthrough.serving.traces import Trace


def main(
    options: argparse.Namespace, screen: Screen, language: str, trace: Trace | None = None
) -> int:
    """Serve a workload, or a trace, under each policy, and print when its tokens came."""
    from walkthrough.serving.latency.setting import LatencySettingError

    words = WORDS[language]
    try:
        _simulate(options, screen, language, trace)
    except LatencySettingError as error:
        text = words[error.kind].format(**{"path": options.trace, **error.fields})
        raise UsageError(text) from error
    return 0


def _simulate(
    options: argparse.Namespace, screen: Screen, language: str, trace: Trace | None
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

    rates: list[float | None] = options.rates or [options.rate]
    shares: dict[str, list[float]] = {way: [] for way in setting.names}
    for rate in rates:
        requests = source.requests(rate, capacity)
        if rate == rates[0]:
            report.say_source(source, requests, rate, name, screen, language)
            report.say_setting(setting, screen, language)
        outcomes = {way: serve(way) for way in setting.names}
        for way, outcome in outcomes.items():
            shares[way].append(100 * attainment(outcome.served, setting.limits))
    if options.rates:
        report.show_rates(shares, options.rates, screen, language)
        return
    report.show_latency(outcomes, setting.limits, screen, language)
    if trace is None and workload in SARATHI:
        outcomes["chunks alone"] = serve("chunks alone")
        report.show_sarathi(outcomes, workload, screen, language)
