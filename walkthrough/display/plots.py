"""Numbers as pictures in characters: a heat map of weights, and curves over a length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len

from walkthrough.display.current import current
from walkthrough.display.number import number
from walkthrough.display.table import Line, Table, pad

SHADES = " .:-=+*#%@"  # from 0 to 1, in characters that every console has
CURVE_MARKS = "ox+*"
HEIGHT = 12


def draw_heat(weights: Any, title: str = "", *, rows: Sequence[str]) -> None:
    """Weights between 0 and 1 as shades, (n, m): row i is query i, column j key j.

    Two characters a weight; the columns have the names of the first m rows, by number.
    """
    values = weights.tolist() if hasattr(weights, "tolist") else weights
    screen = current()
    readable = screen.charset.readable
    names = [readable(name) for name in rows]
    width = max(map(cell_len, names))
    last = len(str(len(values)))
    lines: list[Line] = [[(readable(title), "title")]] if title else []
    for i, (name, row) in enumerate(zip(names, values, strict=True), start=1):
        shades = "".join(SHADES[min(int(w * len(SHADES)), len(SHADES) - 1)] * 2 for w in row)
        lines.append(
            [
                (f"{i:>{last}} {pad(name, width)} ", "label"),
                (readable("│"), "rule"),
                (shades.rstrip(), ""),
            ]
        )
    margin = " " * (last + width + 2) + readable("│")
    numbers = "".join(f"{j % 10:<2}" for j in range(1, len(values[0]) + 1))
    lines.append([(margin + numbers.rstrip(), "label")])
    screen.block(lines)


@dataclass(frozen=True)
class CurvePicture:
    """Curves over the same x; both axes start at 0."""

    series: Mapping[str, Sequence[float]]
    x: Sequence[float]
    title: str = ""
    unit: str = ""

    @property
    def top(self) -> float:
        """The largest value."""
        return max(max(values) for values in self.series.values()) or 1.0

    def lines(self, width: int, readable: Callable[[str], str] = str) -> list[Line]:
        """Each curve with a mark of its own: o, x, +, *."""
        heads = [number(float(f"{self.top * i / HEIGHT:.3g}"), 1) for i in range(HEIGHT, -1, -1)]
        margin = max(map(cell_len, heads))
        width = max(10, min(60, width - margin - 4))
        cells = [[" "] * (width + 1) for _ in range(HEIGHT + 1)]
        for mark, values in zip(CURVE_MARKS, self.series.values(), strict=False):
            for at, value in zip(self.x, values, strict=True):
                row = HEIGHT - round(HEIGHT * value / self.top)
                cells[row][round(width * at / max(self.x))] = mark
        lines: list[Line] = [[(readable(self.title), "title")]] if self.title else []
        for i, marks in enumerate(cells):
            head = heads[i] if i % 4 == 0 else ""
            text = readable("".join(marks).rstrip())
            lines.append([(f"{head:>{margin}} ", "label"), (readable("│"), "rule"), (text, "")])
        lines.append([(" " * (margin + 1) + readable("└" + "─" * (width + 1)), "rule")])
        right = number(max(self.x), 1)
        lines.append([(" " * (margin + 2) + "0" + f"{right:>{width}}", "label")])
        names = (f"{m} {name}" for m, name in zip(CURVE_MARKS, self.series, strict=False))
        legend = "   ".join(names)
        text = f"{legend}   ({self.unit})" if self.unit else legend
        lines.append([(readable(text), "label")])
        return lines

    def svg(self) -> str:
        """The same as SVG."""
        from walkthrough.display.drawing.curves_svg import curves_svg

        return curves_svg(self)

    def values(self) -> Table:
        """A row for each x, a column for each curve."""
        cells = [[values[i] for values in self.series.values()] for i in range(len(self.x))]
        return Table("", cells, [f"{x:g}" for x in self.x], [*self.series], corner=self.unit)


def plot(
    series: Mapping[str, Sequence[float]], x: Sequence[float], title: str = "", *, unit: str = ""
) -> None:
    """Curves over the same x, each with a mark of its own: o, x, +, *. Both axes start at 0."""
    if not x or any(len(values) != len(x) for values in series.values()):
        raise ValueError(f"each curve needs a value for each of the {len(x)} x")
    current().draw(CurvePicture(series, x, title, unit))
