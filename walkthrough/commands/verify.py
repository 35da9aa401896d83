"""`walkthrough verify`: the paged cache in torch, compared with NumPy at every step."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError, whole
from walkthrough.commands.console import progress
from walkthrough.commands.torch_arguments import add_torch_arguments, prepare, require_torch
from walkthrough.commands.torch_words import VERIFY

if TYPE_CHECKING:
    from gpu.verification.ranks import Ranks
    from gpu.verification.verify import Report, VerifyOptions
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

FAULT_NAMES = ("wrong-block", "drop-last", "stale-copy", "wrong-head")
TOKENS, LAYERS, BATCH = 256, 2, 3  # well under a minute on two cores
MISMATCHES_SHOWN = 5  # mismatches that are written out

WORDS = VERIFY


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Device, sizes, backends, --break."""
    add_torch_arguments(parser, words)
    option = parser.options.add_argument
    for name, high, default, text in (
        ("tokens", 10_000_000, TOKENS, "tokens"),
        ("batch", 4096, BATCH, "batch"),
        ("layers", 1000, LAYERS, "layers-help"),
    ):
        kind = whole(1, high, words)
        option(f"--{name}", metavar="N", type=kind, help=words[text].format(n=default))
    option("--seed", metavar="N", type=whole(0, 9_999_999, words), default=0, help=words["seed"])
    option("--break", dest="fault", choices=FAULT_NAMES, help=words["break"])
    option("--full", action="store_true", help=words["full"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """1 where something differs."""
    require_torch(language)
    from gpu.verification import ranks

    group = ranks.start()
    try:
        status = _verify(options, screen, language, group)
    finally:
        ranks.stop(group)
    return status


def _verify(options: argparse.Namespace, screen: Screen, language: str, group: Ranks) -> int:
    words = WORDS[language]
    setting = prepare(options, language, "float16" if options.full else None)
    from gpu.memory import NotEnoughMemoryError
    from gpu.verification import verify
    from gpu.verification.ranks import HeadsError
    from gpu.verification.workload import ScheduleError

    g = setting.geometry
    asked = verify.VerifyOptions(
        group.device(setting.device),
        g,
        options.tokens or (g.max_tokens if options.full else TOKENS),
        options.batch or BATCH,
        setting.dtype,
        setting.block_size,
        setting.backends,
        options.layers or (g.layers if options.full else min(LAYERS, g.layers)),
        options.seed,
        options.fault,
        group,
    )
    try:
        if options.full and not options.layers:
            asked = replace(asked, layers=verify.fitting_layers(asked))
        if group.rank:
            return 1 if verify.verify(asked).mismatches else 0
        for note in setting.notes:
            screen.text(note)
        _announce(asked, setting.name, screen, words)
        with progress(setting.name, 1) as advance:
            report = verify.verify(asked, lambda done, total: advance(1 / total))
    except NotEnoughMemoryError as error:
        from gpu.memory import size

        sizes = {"needed": size(error.needed), "free": size(error.free), "device": error.device}
        raise CommandError(words["memory"].format(**sizes)) from error
    except ScheduleError as error:
        sizes = {
            "tokens": asked.tokens,
            "batch": asked.batch,
            "block_size": asked.block_size,
        }
        raise UsageError(words["schedule"].format(**sizes)) from error
    except HeadsError as error:
        raise UsageError(words["heads"].format(h_kv=g.h_kv, world=group.world)) from error
    _show(report, asked, screen, words)
    return 1 if report.mismatches else 0


def _announce(asked: VerifyOptions, name: str, screen: Screen, words: dict[str, str]) -> None:
    """The sizes, the memory, and how far from the full size this is, before anything is taken."""
    from gpu.devices import device_name
    from gpu.memory import free_bytes, size
    from gpu.verification import verify

    g = asked.geometry
    screen.text(device_name(asked.device))
    sizes = {**vars(g), **vars(asked), "name": name}
    screen.text(words["sizes"].format(**sizes))
    of_torch, of_numpy = verify.verify_bytes(asked)
    free = free_bytes(asked.device)
    screen.text(
        words["need"].format(
            torch=size(of_torch),
            numpy=size(of_numpy),
            device=asked.device,
            free="?" if free is None else size(free),
        )
    )
    verify.require_memory(asked)
    share = round(g.layers * g.max_tokens / (asked.layers * asked.tokens))
    if asked.tokens < g.max_tokens or (share > 1 and not asked.layers < g.layers):
        full = size(g.cache_bytes(g.max_tokens, asked.dtype))
        screen.text(
            words["share"].format(
                share=f"{share:,}",
                tokens=f"{g.max_tokens:,}",
                layers=g.layers,
                bytes=full,
                dtype=asked.dtype,
            )
        )
    elif asked.layers < g.layers:
        screen.text(words["fit"].format(layers=asked.layers, all=g.layers))
    screen.text()
    screen.flush()


def _show(report: Report, asked: VerifyOptions, screen: Screen, words: dict[str, str]) -> None:
    """A row a backend and phase; then what differs, or that nothing does."""
    from gpu.verification.compare import TOLERANCES
    from gpu.verification.sides import ROWS
    from gpu.verification.workload import PHASES
    from walkthrough.display.table import Table

    phases = dict(entry.split("=") for entry in words["phases"].split(","))
    rows, cells, marks = [], [], []
    for backend in asked.backends:
        for phase in PHASES:
            cell = report.cells[backend, phase]
            rows.append(f"{backend} {phases[phase]}")
            lse = "-" if cell.lse_error is None else f"{cell.lse_error:.1e}"
            verdict = words["fails" if cell.failed else "holds"]
            tolerance = f"{TOLERANCES[asked.dtype]:.1e}"
            cells.append([f"{cell.compared:,}", f"{cell.error:.1e}", tolerance, lse, verdict])
            marks.append(["bad" if cell.failed else ""] * len(cells[-1]))
    table = Table(words["table"], cells, rows, words["columns"].split(","), marks=marks)
    screen.table(table)
    screen.text()
    screen.text(words["stored"].format(count=f"{report.stored:,}", steps=report.steps))
    if report.plan.token_budget > ROWS:
        screen.text(words["sampled"].format(rows=ROWS))
    if report.ranks_error is not None:
        error = f"{report.ranks_error:.1e}"
        screen.text(words["ranks"].format(world=asked.ranks.world, error=error))
    for mismatch in report.mismatches[:MISMATCHES_SHOWN]:
        fields = {
            **mismatch._asdict(),
            "phase": phases.get(mismatch.phase, "-"),
            "error": f"{mismatch.error:.1e}",
            "tolerance": f"{mismatch.tolerance:.1e}",
        }
        screen.text(words["mismatch"].format(**fields), "bad")
    if len(report.mismatches) > MISMATCHES_SHOWN:
        screen.text(words["more"].format(count=f"{len(report.mismatches) - MISMATCHES_SHOWN:,}"))
    if not report.mismatches:
        screen.text(words["good"])
