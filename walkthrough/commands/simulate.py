"""`walkthrough simulate`: a workload under each policy, and where the memory went."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands import latency
from walkthrough.commands.arguments import UsageError, whole
from walkthrough.commands.console import complain, progress
from walkthrough.serving.words import SIMULATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.serving.simulation import MemorySizes, ServedQueue, Watched
    from walkthrough.serving.traces import Trace
    from walkthrough.serving.workloads import Lengths

WORDS = SIMULATE


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """The workload, the memory, the seed."""
    add = parser.options.add_argument
    add("--workload", metavar="NAME", help=words["workload"])
    add("--trace", metavar="FILE", type=Path, help=words["trace"])
    for name, low, high in (
        ("requests", 1, 10_000_000),
        ("slots", 1, 99_999_999),
        ("longest", 2, 99_999_999),
        ("block-size", 1, 1_000_000),
        ("prefix", 0, 1_000_000),
    ):
        add(f"--{name}", metavar="N", type=whole(low, high, words), help=words[name])
    add("--seed", metavar="N", type=whole(0, 99_999_999, words), default=0, help=words["seed"])
    latency.add_arguments(parser, words)


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Draw or read the requests, serve them under each policy, print what came of it."""
    in_time = latency.asked(options, language)
    if options.trace is None:
        if in_time:
            return latency.main(options, screen, language)
        _simulate_workload(options, screen, language)
        return 0
    for option in ("workload", "prefix"):
        if getattr(options, option) is not None:
            raise UsageError(WORDS[language]["both"].format(option=f"--{option}"))
    trace = _read(options.trace, language)
    if in_time:
        return latency.main(options, screen, language, trace)
    _simulate_trace(trace, options, screen, language)
    return 0


def _simulate_workload(options: argparse.Namespace, screen: Screen, language: str) -> None:
    import random  # not for every command's start

    from walkthrough.serving import outcome_sentences, outcome_tables, simulation
    from walkthrough.serving.workloads import WORKLOADS

    words, name, prefix = WORDS[language], options.workload or "sharegpt", options.prefix or 0
    if name not in WORKLOADS:
        raise UsageError(words["unknown"].format(name=name, known=", ".join(WORKLOADS)))
    sizes = _sizes(options, simulation.USUAL_SIZES)
    rng = random.Random(options.seed)
    try:
        requests = WORKLOADS[name].draw(options.requests or 1_000, rng, sizes.longest, prefix)
    except ValueError as error:
        raise UsageError(words["none"].format(longest=sizes.longest)) from error
    screen.prose(outcome_sentences.about_workload(WORKLOADS[name], requests, language, prefix))
    screen.text()
    screen.prose(outcome_sentences.about_memory(sizes, options.seed, 0, language))
    screen.text()
    served = _serve(requests, sizes, prefix > 0, language)
    usual = name == "sharegpt" and sizes == simulation.USUAL_SIZES and not prefix
    _show(served, sizes, screen, language, paper=usual)
    if prefix:
        return
    sampled = simulation.first_requests(requests)
    rows = simulation.blocks_saved(sampled, sizes.block_size, rng, _watched(language))
    replaced = round(100 * simulation.REPLACED)
    screen.text()
    screen.prose(words["sample"].format(count=len(sampled), replaced=replaced))
    screen.text()
    screen.table(outcome_tables.saved_table(rows, name, language))


def _simulate_trace(
    trace: Trace, options: argparse.Namespace, screen: Screen, language: str
) -> None:
    from walkthrough.serving import outcome_sentences, outcome_tables, simulation

    words, mooncake = WORDS[language], trace.form == "mooncake"
    sizes = _sizes(options, simulation.MOONCAKE_SIZES if mooncake else simulation.USUAL_SIZES)
    everyone = trace.requests[: options.requests]
    requests = [one for one in everyone if one.prompt + one.output <= sizes.longest]
    if not requests:
        raise UsageError(words["none"].format(longest=sizes.longest))
    screen.prose(outcome_sentences.about_trace(trace, options.trace.name, everyone, language))
    screen.text()
    left_out = len(everyone) - len(requests)
    screen.prose(outcome_sentences.about_memory(sizes, options.seed, left_out, language))
    screen.text()
    known = any(request.content for request in requests)
    _show(_serve(requests, sizes, known, language), sizes, screen, language)
    screen.text()
    if known:
        shares = simulation.replayed(everyone, _watched(language))
        screen.table(outcome_tables.replay_table(shares, language))
    else:
        screen.prose(words["no-content"])
    screen.text()
    filled = simulation.filled_at_the_end(everyone, sizes)
    screen.table(outcome_tables.ends_table(filled, sizes, language))


def _sizes(options: argparse.Namespace, usual: MemorySizes) -> MemorySizes:
    from walkthrough.serving.simulation import MemorySizes

    return MemorySizes(
        options.slots or usual.slots,
        options.longest or usual.longest,
        options.block_size or usual.block_size,
    )


def _serve(
    requests: Sequence[Lengths], sizes: MemorySizes, sharing: bool, language: str
) -> ServedQueue:
    from walkthrough.serving.outcome_sentences import policy_name
    from walkthrough.serving.simulation import serve_by_each_policy

    if sizes.slots < sizes.block_size:
        numbers = {"slots": sizes.slots, "size": sizes.block_size}
        raise UsageError(WORDS[language]["small"].format(**numbers))
    return serve_by_each_policy(
        requests,
        sizes,
        sharing,
        lambda name, total: progress(policy_name(name, sizes.block_size, language), total),
    )


def _watched(language: str) -> Watched:
    return lambda name, total: progress(WORDS[language][name], total)


def _show(
    served: ServedQueue, sizes: MemorySizes, screen: Screen, language: str, *, paper: bool = False
) -> None:
    from walkthrough.serving.outcome_sentences import about_policies
    from walkthrough.serving.outcome_tables import show_outcomes

    show_outcomes(served.outcomes, screen, language, sizes.block_size, paper=paper)
    for sentence in about_policies(served, sizes.block_size, language):
        screen.text()
        screen.prose(sentence)


def _read(path: Path, language: str) -> Trace:
    """Read a trace; names the lines that are broken, and uses the rest."""
    from walkthrough.serving.outcome_sentences import broken_lines
    from walkthrough.serving.traces import TraceError, read_trace

    words = WORDS[language]
    size = path.stat().st_size if path.is_file() else 0
    try:
        with progress(words["reading"], size) as advance:
            trace = read_trace(path, advance)
    except TraceError as error:
        raise UsageError(words[error.kind].format(**error.fields)) from error
    for sentence in broken_lines(trace, path, language):
        complain(sentence)
    return trace
