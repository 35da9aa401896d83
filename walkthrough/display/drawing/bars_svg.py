"""How values are spread, as SVG: bars for bins, marks for percentiles; a column for each kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from walkthrough.display.drawing.axes import Axis
from walkthrough.display.drawing.picture import WIDTH, box, drawn, line, mark, words
from walkthrough.display.table import Line, Table

ROW = 34.0


@dataclass(frozen=True)
class BarPicture:
    """Shares (0 to 1) of bins, for each name; a share that is not 0 is at least seen."""

    title: str
    bins: Sequence[str]
    shares: Mapping[str, Sequence[float]]

    def lines(self, width: int, readable: Callable[[str], str] = str) -> list[Line]:
        """A line for each bin and name."""
        return [
            [(readable(f"{name} {what} "), "label"), ("#" * round(20 * share), "")]
            for name, shares in self.shares.items()
            for what, share in zip(self.bins, shares, strict=True)
        ]

    def svg(self) -> str:
        """Names side by side, two a row, bins below one another, each with its percent."""
        parts: list[str] = []
        per_row = 1 if len(self.shares) == 1 else 2
        label = 164.0
        room = (WIDTH - label) / per_row
        high = 40 + ROW * len(self.bins)
        most = max((s for shares in self.shares.values() for s in shares), default=1) or 1
        for i, (name, shares) in enumerate(self.shares.items()):
            left, top = label + room * (i % per_row), high * (i // per_row)
            parts.append(words(left, top + 22, name, "name"))
            length = room - 104
            for j, (what, share) in enumerate(zip(self.bins, shares, strict=True)):
                y = top + 34 + ROW * j
                if not i % per_row:
                    parts.append(words(label - 12, y + 22, what, "axis", "end"))
                wide = max(3.0, length * share / most) if share else 0.0
                text = percent_text(share)
                parts.append(box(left, y + 4, wide, ROW - 10, "bar0", f"{name}, {what}: {text} %"))
                parts.append(words(left + wide + 8, y + 22, text if share else "–"))
            parts.append(line(left, top + 34, left, top + 34 + ROW * len(self.bins), "frame"))
        rows = math.ceil(len(self.shares) / per_row)
        return drawn(self.title, parts, high * rows + 8)

    def values(self) -> Table:
        """Percent of each bin."""
        cells = [[100 * s[i] for s in self.shares.values()] for i in range(len(self.bins))]
        return Table("", cells, self.bins, [*self.shares], digits=[3] * len(self.shares))


def percent_text(share: float) -> str:
    """Percent with two digits, three where it is rare."""
    return f"{100 * share:.3f}" if 0 < share < 0.0001 else f"{100 * share:.2f}"


@dataclass(frozen=True)
class PercentilePicture:
    """For each name its percentiles, on one logarithmic axis; `limit` is a line across all."""

    title: str
    heads: Sequence[str]  # P50, P90, …: four at most
    found: Mapping[str, Sequence[float]]
    limit: float | None = None
    unit: str = ""

    def lines(self, width: int, readable: Callable[[str], str] = str) -> list[Line]:
        """A line for each name."""
        return [
            [(readable(f"{name} "), "label"), (" ".join(f"{v:.4g}" for v in values), "")]
            for name, values in self.found.items()
        ]

    def svg(self) -> str:
        """A line for each name, its percentiles as marks on it."""
        values = [v for row in self.found.values() for v in row if v > 0]
        low = 10.0 ** math.floor(math.log10(min(values, default=1)))
        high = 10.0 ** math.ceil(math.log10(max(values, default=10)) + 1e-9)
        left, top, row = 196.0, 44.0, 46.0
        floor = top + row * len(self.found)
        x = Axis(low, max(high, 10 * low), left, WIDTH - 30, log=True)
        parts: list[str] = []
        power = low
        while power <= x.high * 1.001:
            for factor in (1, 2, 5):
                if (value := power * factor) <= x.high * 1.001:
                    place = x(value)
                    parts.append(line(place, top - 8, place, floor, "grid"))
                    if factor == 1 or x.high / x.low <= 100:
                        parts.append(words(place, floor + 26, f"{value:,g}", "axis", "middle"))
            power *= 10
        if self.limit is not None and x.low < self.limit < x.high:
            parts.append(line(x(self.limit), top - 8, x(self.limit), floor, "ridge"))
        at = left
        for i, head in enumerate(self.heads):
            parts.append(mark(at + 8, 12, i))
            parts.append(words(at + 22, 19, head, f"s{i % 4}"))
            at += 100
        parts.append(words(WIDTH - 30, 19, self.unit, "axis", "end"))
        for j, (name, row_values) in enumerate(self.found.items()):
            y = top + row * (j + 0.5)
            parts.append(words(left - 14, y + 7, name, "", "end"))
            parts.append(line(x(min(row_values)), y, x(max(row_values)), y, "frame"))
            for i, value in enumerate(row_values):
                told = f"{name}, {self.heads[i]}: {value:,.4g}"
                parts.append(mark(x(value), y, i, told))
        return drawn(self.title, parts, floor + 40)

    def values(self) -> Table:
        """The percentiles."""
        cells = [list(values) for values in self.found.values()]
        return Table("", cells, [*self.found], list(self.heads), digits=[2] * len(self.heads))
