"""`walkthrough simulate`: a workload under each policy, and where the memory went."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import UsageError, whole
from walkthrough.commands.console import complain, progress
from walkthrough.serving.words import SIMULATE

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen
    from walkthrough.serving.memory import Memory
    from walkthrough.serving.queue import Outcome
    from walkthrough.serving.traces import Trace
    from walkthrough.serving.workloads import Lengths, Workload

SAMPLED = 40_000  # output tokens of the requests that the sharing figures are computed with
REPLACED = 0.1  # how often a beam is given up for another
CACHE_BLOCKS = 10_000  # of the replay
BROKEN_LINES_SHOWN = 5  # broken lines that are named one by one

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


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Draw or read the requests, serve them under each policy, print what came of it."""
    from walkthrough.serving.workloads import WORKLOADS

    words = WORDS[language]
    if options.trace is not None:
        for option in ("workload", "prefix"):
            if getattr(options, option) is not None:
                raise UsageError(words["both"].format(option=f"--{option}"))
        trace = _read(options.trace, words)
        _simulate_trace(trace, options, screen, language)
        return 0
    name = options.workload or "sharegpt"
    if name not in WORKLOADS:
        known = ", ".join(WORKLOADS)
        raise UsageError(words["unknown"].format(name=name, known=known))
    _simulate_workload(WORKLOADS[name], name, options, screen, language)
    return 0


def _simulate_workload(
    workload: Workload, name: str, options: argparse.Namespace, screen: Screen, language: str
) -> None:
    import random  # not for every command's start

    from walkthrough.serving import sharing
    from walkthrough.serving.outcome_tables import saved_table, show_outcomes

    words = WORDS[language]
    slots, longest = options.slots or 15_728, options.longest or 2_048
    block_size, prefix = options.block_size or 16, options.prefix or 0
    rng = random.Random(options.seed)
    try:
        requests = workload.draw(options.requests or 1_000, rng, longest, prefix)
    except ValueError as error:
        raise UsageError(words["none"].format(longest=longest)) from error
    screen.prose(
        words["drawn"].format(
            name=workload.name,
            count=f"{len(requests):,}",
            prompt=workload.mean_prompt,
            output=workload.mean_output,
            sd_prompt=workload.sd_prompt,
            sd_output=workload.sd_output,
            **_means(requests),
        )
    )
    screen.text()
    screen.prose(_setting(slots, longest, options.seed, words))
    screen.text()
    outcomes, hits = _serve(requests, slots, longest, block_size, prefix > 0, language)
    usual = (slots, longest, block_size, prefix) == (15_728, 2_048, 16, 0)
    show_outcomes(outcomes, screen, language, block_size, paper=name == "sharegpt" and usual)
    _say_what_else(requests, outcomes, hits, screen, language, block_size)
    if prefix:
        return
    sampled: list[Lengths] = []
    while len(sampled) < len(requests) and sum(r.output for r in sampled) < SAMPLED:
        sampled.append(requests[len(sampled)])
    rows: list[tuple[str, int, float]] = []
    with progress(words["forking"], 6 * len(sampled)) as advance:
        for n in (2, 4, 6):
            saved = sharing.saved_by_sampling(sampled, n, block_size, lambda: advance(1))
            rows.append(("parallel", n, saved.share))
        for n in (2, 4, 6):
            saved = sharing.saved_by_beam_search(
                sampled, n, block_size, REPLACED, rng, lambda: advance(1)
            )
            rows.append(("beam", n, saved.share))
    screen.text()
    sample = words["sample"].format(count=len(sampled), replaced=round(100 * REPLACED))
    screen.prose(sample)
    screen.text()
    screen.table(saved_table(rows, name, language))


def _simulate_trace(
    trace: Trace, options: argparse.Namespace, screen: Screen, language: str
) -> None:
    from walkthrough.serving.outcome_tables import show_outcomes

    words = WORDS[language]
    mooncake = trace.form == "mooncake"
    slots = options.slots or (5_120_000 if mooncake else 15_728)
    longest = options.longest or (131_072 if mooncake else 2_048)
    block_size = options.block_size or (512 if mooncake else 16)
    everyone = trace.requests[: options.requests]
    requests = [request for request in everyone if request.prompt + request.output <= longest]
    if not requests:
        raise UsageError(words["none"].format(longest=longest))
    about = words["read"].format(
        name=options.trace.name,
        form=trace.form.capitalize(),
        count=f"{len(everyone):,}",
        **_means(everyone),
    )
    screen.prose(about)
    screen.text()
    setting = _setting(slots, longest, options.seed, words)
    if left_out := len(everyone) - len(requests):
        setting += " " + words["left-out"].format(count=f"{left_out:,}")
    screen.prose(setting)
    screen.text()
    known = any(request.content for request in requests)
    outcomes, hits = _serve(requests, slots, longest, block_size, known, language)
    show_outcomes(outcomes, screen, language, block_size)
    _say_what_else(requests, outcomes, hits, screen, language, block_size)
    screen.text()
    if known:
        _replay(everyone, screen, words)
    else:
        screen.prose(words["no-content"])
    screen.text()
    _at_the_end(everyone, longest, block_size, screen, words)


def _means(requests: Sequence[Lengths]) -> dict[str, str]:
    return {
        "mean_prompt": f"{sum(r.prompt for r in requests) / len(requests):,.1f}",
        "mean_output": f"{sum(r.output for r in requests) / len(requests):,.1f}",
    }


def _setting(slots: int, longest: int, seed: int, words: dict[str, str]) -> str:
    return words["setting"].format(slots=f"{slots:,}", longest=f"{longest:,}", seed=seed)


def _serve(
    requests: Sequence[Lengths],
    slots: int,
    longest: int,
    block_size: int,
    sharing: bool,
    language: str,
) -> tuple[dict[str, Outcome], int]:
    """What came of each policy, and how many prompt tokens were hits where prefixes are shared."""
    from walkthrough.serving.memory import POLICIES, ContiguousMemory, PagedMemory
    from walkthrough.serving.queue import serve_queue
    from walkthrough.serving.words import OUTCOMES as NAMES

    words = WORDS[language]
    if slots < block_size:
        raise UsageError(words["small"].format(slots=slots, size=block_size))
    memories: dict[str, Memory] = {
        name: ContiguousMemory(slots, longest, policy) for name, policy in POLICIES.items()
    }
    memories["paged"] = PagedMemory(slots, block_size)
    shared = PagedMemory(slots, block_size, sharing=True)
    if sharing:
        memories["shared"] = shared
    outcomes = {}
    for name, memory in memories.items():
        policy = NAMES[language][name].format(size=block_size)
        with progress(policy, len(requests)) as advance:
            outcomes[name] = serve_queue(requests, memory, _each(advance))
    return outcomes, shared.hits


def _each(advance: Callable[[float], None]) -> Callable[[], None]:
    return lambda: advance(1)


def _say_what_else(
    requests: Sequence[Lengths],
    outcomes: dict[str, Outcome],
    hits: int,
    screen: Screen,
    language: str,
    block_size: int,
) -> None:
    """Who was refused, where the memory was never full, and what sharing prefixes brought."""
    from walkthrough.serving.words import OUTCOMES as NAMES

    words = WORDS[language]
    names = {name: NAMES[language][name].format(size=block_size) for name in outcomes}
    refused = [f"{names[name]} {o.refused:,}" for name, o in outcomes.items() if o.refused]
    if refused:
        screen.text()
        screen.prose(words["unfit"].format(counts=", ".join(refused)))
    roomy = [names[name] for name, outcome in outcomes.items() if not outcome.steps]
    if roomy:
        screen.text()
        screen.prose(words["roomy"].format(names=", ".join(roomy)))
    if "shared" in outcomes and outcomes["shared"].steps:
        prompts = sum(request.prompt for request in requests)
        saved = f"{100 * outcomes['shared'].blocks_saved:.1f}"
        screen.text()
        screen.prose(words["shared"].format(hits=f"{100 * hits / prompts:.1f}", saved=saved))


def _replay(requests: Sequence[Lengths], screen: Screen, words: dict[str, str]) -> None:
    """Prefix hits in order of arrival, with and without an end to the cache."""
    from walkthrough.display.table import Table
    from walkthrough.serving.replay import replay

    blocks = sum(len(request.content) for request in requests)
    labels = [words["replay.all"], words["replay.lru"].format(count=f"{CACHE_BLOCKS:,}")]
    cells = []
    with progress(words["replaying"], 2 * len(requests)) as advance:
        for size in (blocks + 1, CACHE_BLOCKS):
            cells.append([100 * replay(requests, size, _each(advance)).share])
    screen.table(Table(words["replay"], cells, labels, digits=[1]))


def _at_the_end(
    requests: Sequence[Lengths], longest: int, size: int, screen: Screen, words: dict[str, str]
) -> None:
    """How full each request's own memory is when it ends, its last token counted as stored."""
    from walkthrough.display.table import Table

    tokens = [request.prompt + request.output for request in requests]
    slots = [-(-count // size) * size for count in tokens]
    fit = [count for count in tokens if count <= longest]
    rows = {
        "paged": sum(a / b for a, b in zip(tokens, slots, strict=True)) / len(tokens),
        "all": sum(tokens) / sum(slots),
        "fit": len(fit) / len(tokens),
        "contiguous": sum(fit) / len(fit) / longest,
    }
    labels = [words[f"ends.{name}"].format(size=size, longest=f"{longest:,}") for name in rows]
    cells = [[100 * share] for share in rows.values()]
    screen.table(Table(words["ends"], cells, labels, digits=[2]))


def _read(path: Path, words: dict[str, str]) -> Trace:
    """Read a trace; names the lines that are broken, and uses the rest."""
    from walkthrough.serving.traces import TraceError, read_trace

    try:
        size = path.stat().st_size
    except OSError:
        size = 0
    position = 0.0
    try:
        with progress(words["reading"], size) as advance:

            def at(read: int) -> None:
                nonlocal position
                advance(read - position)
                position = read

            trace = read_trace(path, at)
    except TraceError as error:
        raise UsageError(words[error.kind].format(**error.fields)) from error
    for broken in trace.broken[:BROKEN_LINES_SHOWN]:
        why = words[f"broken.{broken.kind}"].format(found=broken.found)
        complain(words["broken"].format(path=path, line=broken.line, why=why))
    more = len(trace.broken) - BROKEN_LINES_SHOWN
    if more > 0:
        complain(words["broken.more"].format(path=path, count=more))
    return trace
