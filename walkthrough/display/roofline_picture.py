"""A roofline in characters: FLOPs a second over FLOPs a byte, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from walkthrough.display.current import current
from walkthrough.display.table import Cell, Line, Table
from walkthrough.reference.speed.machines import Machine

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen

HEIGHT, WIDEST = 14, 68  # what 80 columns leave beside the axis, whatever it says
UNITS = (("T", 1e12), ("G", 1e9), ("M", 1e6))


@dataclass(frozen=True)
class RooflinePoint:
    """A place under the roof, and the one character that stands for it."""

    mark: str
    intensity: float  # FLOPs a byte
    flops_per_second: float
    label: str = ""  # what it is, where a page says it

    @property
    def told(self) -> str:
        """Its mark, and what it is."""
        return f"{self.mark}  {self.label}" if self.label else self.mark


def attainable(machine: Machine, intensity: float) -> float:
    """FLOPs a second at most: the slope up to the ridge, level from there on."""
    return min(machine.flops_per_second, intensity * machine.bytes_per_second)


def scaled(value: float) -> str:
    """A rate in tera, giga or mega, with three digits: 312T, 4.08T, 54.0G."""
    letter, unit = next((u for u in UNITS if value >= u[1]), UNITS[-1])
    scaled = value / unit
    digits = 0 if scaled >= 99.95 else 1 if scaled >= 9.995 else 2
    return f"{scaled:.{digits}f}{letter}"


def rate_text(value: float) -> str:
    """The same in a sentence: 312 TFLOP/s."""
    text = scaled(value)
    return f"{text[:-1]} {text[-1]}FLOP/s"


@dataclass(frozen=True)
class RooflinePicture:
    """A machine's roof, and points under it; `unit` stands below the axis of intensities."""

    machine: Machine
    points: Sequence[RooflinePoint]
    title: str = ""
    unit: str = "FLOP/byte, ^ ridge"

    def powers(self) -> tuple[int, int]:
        """From which power of two to which the intensities go."""
        xs = [self.machine.ridge, *(point.intensity for point in self.points)]
        return math.floor(math.log2(min(xs))) - 1, math.ceil(math.log2(max(xs))) + 1

    def lowest(self) -> float:
        """The lowest rate that stands in it."""
        ys = [attainable(self.machine, 2.0 ** self.powers()[0])]
        return min(ys + [point.flops_per_second for point in self.points])

    def lines(self, width: int, readable: Callable[[str], str] = str) -> list[Line]:
        """The roof as dots, points as their marks; two on one place show as the later one."""
        low, high = self.powers()
        top = self.machine.flops_per_second
        step = (math.log2(top) - math.log2(self.lowest())) / HEIGHT
        heads = [
            scaled(2 ** (math.log2(top) - i * step)) if not i % 4 else "" for i in range(HEIGHT)
        ]
        margin = max(map(cell_len, heads))
        width = max(16, min(WIDEST, width - margin - 4))

        def column(intensity: float) -> int:
            return round((math.log2(intensity) - low) / (high - low) * (width - 1))

        def row(rate: float) -> int:
            place = round((math.log2(top) - math.log2(rate)) / step)
            return min(HEIGHT, max(0, place))

        cells = [[" "] * width for _ in range(HEIGHT + 1)]
        for i in range(width):
            intensity = 2 ** (low + (high - low) * i / (width - 1))
            cells[row(attainable(self.machine, intensity))][i] = "."
        for point in self.points:
            cells[row(point.flops_per_second)][column(point.intensity)] = point.mark
        lines: list[Line] = [[(readable(self.title), "title")]] if self.title else []
        for head, marks in zip([*heads, ""], cells, strict=True):
            text = "".join(marks).rstrip()
            lines.append([(f"{head:>{margin}} ", "label"), (readable("│"), "rule"), (text, "")])
        foot = ["─"] * width
        foot[column(self.machine.ridge)] = "^"
        lines.append([(" " * (margin + 1) + readable("└" + "".join(foot)), "rule")])
        lines.append([(" " * (margin + 2) + _ticks(low, high, width, column), "label")])
        lines.append([(" " * (margin + 2) + readable(self.unit), "label")])
        return lines

    def svg(self) -> str:
        """The same as SVG."""
        from walkthrough.display.drawing.roofline_svg import roofline_svg

        return roofline_svg(self)

    def values(self) -> Table:
        """Each point's intensity, its rate, and the roof's there."""
        cells: list[list[Cell]] = [
            [p.intensity, scaled(p.flops_per_second), scaled(attainable(self.machine, p.intensity))]
            for p in self.points
        ]
        labels = [point.told for point in self.points]
        return Table("", cells, labels, ["FLOP/byte", "FLOP/s", "roof"], digits=[2, 0, 0])


def draw_roofline(
    machine: Machine,
    points: Sequence[RooflinePoint],
    title: str = "",
    *,
    unit: str = "FLOP/byte, ^ ridge",
    screen: Screen | None = None,
) -> None:
    """The roof as dots, points as their marks; two on one place show as the later one.

    `unit` stands below the axis of intensities, on which `^` is the ridge. A page draws the same
    with lines.
    """
    (screen or current()).draw(RooflinePicture(machine, points, title, unit))


def _ticks(low: int, high: int, width: int, column: Callable[[float], int]) -> str:
    """Powers of two below the axis, as many as there is room for."""
    text = ""
    for power in range(low, high + 1):
        name = f"{2**power:,}" if power >= 0 else f"1/{2**-power}"
        start = column(2.0**power) - (len(name) - 1) // 2
        start = max(0, min(start, width - len(name)))
        if start >= len(text) + (2 if text else 0):
            text += " " * (start - len(text)) + name
    return text
