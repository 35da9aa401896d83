"""What ran when, as SVG: a lane for each machine or request, a box for each span of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from walkthrough.display.drawing.axes import Axis, round_ticks
from walkthrough.display.drawing.picture import WIDTH, box, drawn, line, words
from walkthrough.display.table import Cell, Line, Table

Span = tuple[float, float, str]  # from, to (seconds), and a kind: prefill, decode, mixed, waits
LANE, NAME, SMALL_LANE, MANY = 34.0, 28.0, 20.0, 8
THICK = {"waits": 0.24, "decode": 0.5, "mixed": 0.72, "prefill": 1.0}  # so that form tells, too
NEAR = 0.6  # units of the picture: spans of one kind that are nearer than that are one


@dataclass(frozen=True)
class SpanPicture:
    """Lanes by name from `start` to `end` (seconds); `kinds` names each kind that occurs."""

    title: str
    lanes: Sequence[tuple[str, Sequence[Span]]]
    start: float
    end: float
    kinds: Mapping[str, str]

    def lines(self, width: int, readable: Callable[[str], str] = str) -> list[Line]:
        """A line for each lane: how many spans of each kind."""
        return [[(readable(name), "label"), (f" {len(spans)}", "")] for name, spans in self.lanes]

    def _seen(self, spans: Sequence[Span]) -> list[Span]:
        """What lies in the window, cut to it; what touches and is alike, as one."""
        near = NEAR * (self.end - self.start) / WIDTH
        seen: list[Span] = []
        for begin, end, kind in spans:
            begin, end = max(begin, self.start), min(end, self.end)
            if end <= begin:
                continue
            if seen and seen[-1][2] == kind and begin - seen[-1][1] < near:
                seen[-1] = (seen[-1][0], end, kind)
            else:
                seen.append((begin, end, kind))
        return seen

    def svg(self) -> str:
        """Lanes below one another, a legend above, seconds below."""
        named = len(self.lanes) <= MANY
        high, head = (LANE, NAME) if named else (SMALL_LANE, 0.0)
        left, top = 12.0, 40.0
        x = Axis(self.start, self.end, left, WIDTH - 16)
        floor = top + (high + head) * len(self.lanes)
        parts: list[str] = []
        for tick in round_ticks(self.end - self.start, 4):
            place = x(self.start + tick)
            parts.append(line(place, top - 4, place, floor, "grid"))
            text = f"{self.start + tick:.2f} s"
            parts.append(words(place, floor + 26, text, "axis", "middle" if tick else "start"))
        at = left
        for kind, name in self.kinds.items():
            parts.append(box(at, 4, 18, 18, kind))
            parts.append(words(at + 24, 20, name, "legend"))
            at += 50 + sum(19 if ord(c) > 0x1100 else 10.5 for c in name)
        for i, (name, spans) in enumerate(self.lanes):
            y = top + (high + head) * i + head
            if named:
                parts.append(words(left, y - 5, name))
            for begin, end, kind in self._seen(spans):
                tall = high * 0.9 * THICK.get(kind, 0.5)
                told = f"{name}, {self.kinds.get(kind, kind)}: {begin:.3f}–{end:.3f} s"
                wide = max(0.8, x(end) - x(begin))
                parts.append(box(x(begin), y + (high - tall) / 2, wide, tall, kind, told))
        return drawn(self.title, parts, floor + 40)

    def values(self) -> Table:
        """Milliseconds of each kind in the window."""
        cells: list[list[Cell]] = [
            [1000 * sum(e - b for b, e, k in self._seen(spans) if k == kind) for kind in self.kinds]
            for _, spans in self.lanes
        ]
        rows = [name for name, _ in self.lanes]
        heads = [f"{name}, ms" for name in self.kinds.values()]
        return Table("", cells, rows, heads, digits=[0] * len(heads))
