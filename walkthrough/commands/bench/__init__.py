"""`walkthrough bench`: paged attention beside contiguous, timed on this machine."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError, whole
from walkthrough.commands.console import complain
from walkthrough.commands.torch_arguments import add_torch_arguments, prepare
from walkthrough.commands.torch_words import BENCH

if TYPE_CHECKING:
    from gpu.bench import BenchOptions, BenchResult
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

TOKENS, BATCH, RUNS = 2048, 1, 11

WORDS = BENCH


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Device, sizes, backends, --json, --compare."""
    add_torch_arguments(parser, words)
    option = parser.options.add_argument
    for name, high, default in (
        ("tokens", 10_000_000, TOKENS),
        ("batch", 4096, BATCH),
        ("runs", 10_000, RUNS),
    ):
        text = words[name].format(n=default)
        option(f"--{name}", metavar="N", default=default, type=whole(1, high, words), help=text)
    option("--json", action="store_true", help=words["json"])
    option("--compare", metavar="FILE", help=words["compare"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Time, and print a table a phase."""
    from walkthrough.commands.bench import comparison

    words = WORDS[language]
    other = comparison.read_run(options.compare, words) if options.compare else None
    if other is not None and options.json:
        raise UsageError(words["both"])
    setting = prepare(options, language)
    from gpu import bench
    from gpu.memory import NotEnoughMemoryError, size

    asked = bench.BenchOptions(
        setting.device,
        setting.geometry,
        options.tokens,
        options.batch,
        setting.dtype,
        setting.block_size,
        setting.backends,
        options.runs,
    )
    if other is not None:
        comparison.check_sizes(other, asked, setting.name, words)
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not options.json:
        for note in setting.notes:
            screen.text(note)
        screen.flush()
    try:
        result = bench.bench(asked, complain if terminal else None)
    except NotEnoughMemoryError as error:
        sizes = {"needed": size(error.needed), "free": size(error.free), "device": error.device}
        raise CommandError(words["memory"].format(**sizes)) from error
    if options.json:
        _print_json(result, asked, setting.name, screen)
    else:
        _show(result, asked, setting.name, screen, words)
    if other is not None:
        screen.text()
        screen.text(words["beside"].format(file=options.compare, device=other.device))
        for table in comparison.tables(result, other, words):
            screen.text()
            screen.table(table)
    return 0


def _print_json(result: BenchResult, asked: BenchOptions, name: str, screen: Screen) -> None:
    import json

    from gpu.devices import device_name

    about = {
        "device": device_name(asked.device),
        "geometry": name,
        "tokens": asked.tokens,
        "batch": asked.batch,
        "dtype": asked.dtype,
        "block_size": asked.block_size,
        "runs": asked.runs,
    }
    screen.text(json.dumps(about | result.as_json(), indent=2))


def _show(
    result: BenchResult, asked: BenchOptions, name: str, screen: Screen, words: dict[str, str]
) -> None:
    from gpu.devices import device_name
    from walkthrough.display.table import Table

    screen.text(device_name(asked.device))
    screen.text(words["sizes"].format(**{**vars(asked), "name": name, "sets": result.sets}))
    copy, matmul = result.copy_bytes_per_second / 1e9, result.matmul_flops_per_second / 1e12
    screen.text(words["best"].format(copy=copy, matmul=matmul))
    if any(row.graph for row in result.rows):
        screen.text(words["graph"])
    for phase in ("decode", "prefill"):
        rows = [row for row in result.rows if row.phase == phase]
        cells = []
        for row in rows:
            rate = (row.bytes_per_second or 0) / 1e9 or (row.flops_per_second or 0) / 1e12
            cells.append(
                [
                    f"{row.seconds * 1e3:.3f}",
                    f"{row.relative:.2f}",
                    f"{rate:.3g}",
                    f"{row.share * 100:.0f}",
                ]
            )
        screen.text()
        title = words[phase].format(batch=asked.batch)
        columns = words[f"{phase}-columns"].split(",")
        screen.table(Table(title, cells, [row.backend for row in rows], columns))
