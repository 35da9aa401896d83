"""The points under the roof, and the tables of `walkthrough roofline`."""

from __future__ import annotations

from walkthrough.commands.roofline.found import Found, Step
from walkthrough.display.roofline_picture import RooflinePoint, attainable
from walkthrough.display.table import Cell, Table
from walkthrough.reference.speed.machines import MACHINES
from walkthrough.reference.speed.measured import linear_bytes
from walkthrough.reference.speed.roofline import (
    decode_load,
    prefill_load,
    requests_that_fit,
    step_cost,
    step_time,
)
from walkthrough.reference.speed.shapes import SHAPES

BATCH = 32  # of the data sheets' table
COMPUTE_BOUND = "running"  # styles of the cells that say what a step waits for
MEMORY_BOUND = "waiting"


def points(found: Found, steps: list[Step]) -> list[RooflinePoint]:
    """What was measured as it was, the model's steps on the roof."""
    drawn = []
    d_in, d_out = found.matrix
    for b, seconds in found.seconds.items():
        flops = 2 * b * d_in * d_out
        intensity = flops / linear_bytes(d_in, d_out, b, found.size)
        drawn.append(RooflinePoint("*", intensity, flops / seconds, str(b)))
    for step in steps:
        x = step.cost.intensity
        drawn.append(RooflinePoint(step.mark, x, attainable(found.machine, x), step.label))
    return drawn


def step_table(found: Found, steps: list[Step], model: str, words: dict[str, str]) -> Table:
    """Intensity, FLOPs, bytes and lower bound of each step."""
    cells: list[list[Cell]] = []
    marks = []
    for step in steps:
        cost = step.cost
        computes = cost.intensity > found.machine.ridge
        cells.append(
            [
                cost.intensity,
                cost.flops / 1e9,
                cost.bytes / 1e9,
                1000 * step_time(cost, found.machine),
                words["compute" if computes else "bytes"],
            ]
        )
        marks.append([""] * 4 + [COMPUTE_BOUND if computes else MEMORY_BOUND])
    labels = [f"{step.mark}  {step.label}" for step in steps]
    title = words["steps"].format(model=model, bytes=found.size)
    heads = words["columns"].split(",")
    return Table(title, cells, labels, heads, marks=marks, digits=[2, 1, 2, 2, 0])


def row_table(found: Found, words: dict[str, str]) -> Table:
    """One matrix by rows: what it took, and what the roof says."""
    d_in, d_out = found.matrix
    cells = []
    for b, seconds in found.seconds.items():
        flops, moved = 2 * b * d_in * d_out, linear_bytes(d_in, d_out, b, found.size)
        machine = found.machine
        roof = max(flops / machine.flops_per_second, moved / machine.bytes_per_second)
        cells.append([1000 * seconds, 1000 * roof, flops / seconds / 1e9, flops / moved])
    title = words["rows"].format(d_in=d_in, d_out=d_out)
    rows = [str(b) for b in found.seconds]
    return Table(title, cells, rows, words["rows.columns"].split(","), digits=[3, 3, 1, 1])


def sheet_table(model: str, context: int, prompt: int, words: dict[str, str]) -> Table:
    """The data sheets, and the model's lower bounds where it fits."""
    shape, cells = SHAPES[model], []
    for machine in MACHINES.values():
        row: list[Cell] = [machine.flops_per_second / 1e12, machine.bytes_per_second / 1e9]
        row.append(machine.ridge)
        loads = [(1, decode_load(1, context)), (BATCH, decode_load(BATCH, context))]
        loads.append((1, prefill_load(prompt)))
        for requests, load in loads:
            longest = max(context, prompt) if requests == 1 else context
            fits = not machine.memory or requests_that_fit(shape, machine, longest) >= requests
            row.append(1000 * step_time(step_cost(shape, load), machine) if fits else "-")
        cells.append(row)
    title = words["sheets"].format(model=model)
    heads = words["sheets.columns"].format(b=BATCH, n=f"{prompt:,}").split(";")
    labels = [machine.name for machine in MACHINES.values()]
    return Table(title, cells, labels, heads, digits=[1, 0, 0, 2, 2, 1])


def sources() -> str:
    """A line a machine, as Markdown."""
    return "\n".join(f"- {machine.name}: {machine.source}" for machine in MACHINES.values())
