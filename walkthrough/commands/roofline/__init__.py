"""`walkthrough roofline`: what this machine can do, and what prefill and decode ask of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError, whole
from walkthrough.commands.report import page_screen, write_page
from walkthrough.commands.report.words import WORDS as REPORT
from walkthrough.commands.roofline.words import WORDS as WORDS

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.commands.roofline.found import Found, Step
    from walkthrough.display.screen import Screen

GEOMETRY, CONTEXT, PROMPT = "smollm2-135m", 4096, 2048


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Model, machine or device, lengths, --json."""
    from walkthrough.reference.speed.machines import MACHINES
    from walkthrough.reference.speed.shapes import SHAPES

    add = parser.options.add_argument
    models = [*SHAPES]
    text = words["geometry"].format(names=", ".join(models))
    add("--geometry", metavar="MODEL", choices=models, default=GEOMETRY, help=text)
    text = words["machine"].format(names=", ".join(MACHINES))
    add("--machine", metavar="NAME", help=text)
    add("--device", metavar="DEVICE", help=words["device"])
    for name, usual in (("context", CONTEXT), ("prompt", PROMPT)):
        kind, text = whole(1, 10_000_000, words), words[name].format(n=usual)
        add(f"--{name}", metavar="N", default=usual, type=kind, help=text)
    add("--json", action="store_true", help=words["json"])
    add("--html", metavar="FILE", type=Path, help=REPORT[parser.language]["html"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Measure, or look up; then the picture and the tables."""
    from walkthrough.commands.roofline import found as finding

    words = WORDS[language]
    if options.machine is not None and options.device is not None:
        raise UsageError(words["both"])
    if options.json and options.html:
        raise UsageError(words["both.json"])
    try:
        if options.machine is not None:
            found = finding.by_sheet(options.machine, words)
        elif options.device is not None:
            found = finding.measure_torch(options.device, language)
        else:
            found = finding.measure(words)
    except MemoryError as error:
        raise CommandError(words["memory"]) from error
    steps = finding.steps(options, found.size, words)
    if options.json:
        _print_json(options, found, steps, screen)
        return 0
    _show(options, found, steps, screen, words, words["legend.dots"])
    if options.html:
        page = page_screen(screen, language)
        _show(options, found, steps, page, words)
        title = words["title"].format(name=found.machine.name, model=options.geometry)
        write_page(options.html, page, title, screen, language)
    return 0


def _show(
    options: argparse.Namespace,
    found: Found,
    steps: list[Step],
    screen: Screen,
    words: dict[str, str],
    dots: str = "",
) -> None:
    from walkthrough.commands.roofline import tables
    from walkthrough.display.roofline_picture import draw_roofline, rate_text
    from walkthrough.reference.speed.roofline import compute_bound_batch

    machine, model = found.machine, options.geometry
    facts = {"name": machine.name, "rate": rate_text(machine.flops_per_second)}
    bandwidth = machine.bytes_per_second / 1e9
    if machine.source:
        text = words["sheet"].format(bandwidth=bandwidth, source=machine.source, **facts)
    else:
        text = words["measured"].format(copy=bandwidth, **facts)
        if options.device is None:
            text += " " + words["numpy"]
    screen.prose(text)
    screen.text()
    batch = compute_bound_batch(machine, found.size)
    screen.prose(words["ridge"].format(ridge=machine.ridge, batch=batch))
    screen.text()
    title = words["title"].format(name=machine.name, model=model)
    points, unit = tables.points(found, steps), words["unit"]
    draw_roofline(machine, points, title, unit=unit, screen=screen)
    screen.text()
    legend = dots + words["legend"]
    if found.seconds:
        rows = ", ".join(map(str, found.seconds))
        d_in, d_out = found.matrix
        legend += " " + words["legend.measured"].format(d_in=d_in, d_out=d_out, rows=rows)
    screen.prose(legend)
    screen.text()
    screen.table(tables.step_table(found, steps, model, words))
    if found.seconds:
        screen.text()
        screen.table(tables.row_table(found, words))
    screen.text()
    screen.table(tables.sheet_table(model, options.context, options.prompt, words))
    screen.text()
    screen.prose(words["sheets.note"])
    screen.text()
    screen.prose(tables.sources())


def _print_json(
    options: argparse.Namespace, found: Found, steps: list[Step], screen: Screen
) -> None:
    import json
    from dataclasses import asdict

    from walkthrough.reference.speed.machines import MACHINES
    from walkthrough.reference.speed.roofline import step_time

    machine = found.machine
    result = {
        "machine": asdict(machine) | {"ridge": machine.ridge},
        "geometry": options.geometry,
        "bytes_per_number": found.size,
        "steps": [
            {"step": step.label, **asdict(step.cost), "intensity": step.cost.intensity}
            | {"seconds": step_time(step.cost, machine)}
            for step in steps
        ],
        "matrix": {"shape": found.matrix, "seconds": found.seconds} if found.seconds else None,
        "data_sheets": {
            name: asdict(sheet) | {"ridge": sheet.ridge} for name, sheet in MACHINES.items()
        },
    }
    screen.text(json.dumps(result, indent=2, ensure_ascii=screen.charset.encoding == "ascii"))
