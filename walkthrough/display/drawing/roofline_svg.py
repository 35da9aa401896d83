"""A roofline as SVG: the roof, its ridge, and the points with their marks."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from walkthrough.display.drawing.axes import (
    BOTTOM,
    LEFT,
    TOP,
    across,
    bottom_tick,
    caption_below,
    frame,
    side_tick,
    upwards,
)
from walkthrough.display.drawing.picture import HEIGHT, drawn, line, mark, words
from walkthrough.display.roofline_picture import attainable, scaled

if TYPE_CHECKING:
    from walkthrough.display.roofline_picture import RooflinePicture


def roofline_svg(picture: RooflinePicture) -> str:
    """Both axes logarithmic; a measured point is a star (`*`), the others stand for steps."""
    machine, (low, high) = picture.machine, picture.powers()
    x = across(2.0**low, 2.0**high, log=True)
    top, floor = machine.flops_per_second, HEIGHT - BOTTOM
    y = upwards(picture.lowest() / 1.5, top * 2, log=True)
    start, ridge = attainable(machine, 2.0**low), x(machine.ridge)
    roof = f"{LEFT},{y(start):.1f} {ridge:.1f},{y(top):.1f} {x(2.0**high):.1f},{y(top):.1f}"
    under = f"{LEFT},{floor} {roof} {x(2.0**high):.1f},{floor}"
    parts = [f'<polygon points="{under}" class="under"/>']
    every = math.ceil((high - low) / 8)
    for power in range(low, high + 1):
        if (power - low) % every == 0:
            text = f"{2**power:,}" if power >= 0 else f"1/{2**-power}"
            parts += bottom_tick(x, 2.0**power, text, minor=(power - low) % (2 * every) > 0)
    for rate in _rates(picture.lowest(), top):
        parts += side_tick(y, rate, scaled(rate))
    parts += frame()
    parts.append(f'<polyline points="{roof}" class="roof"/>')
    parts.append(line(ridge, TOP, ridge, floor, "ridge"))
    anchor = "end" if ridge > (LEFT + x.end) / 2 else "start"
    shift = -8 if anchor == "end" else 8
    parts.append(words(ridge + shift, floor - 12, f"^ {machine.ridge:.3g}", "ridge-name", anchor))
    parts += _points(picture, x, y)
    parts.append(caption_below(picture.unit))
    return drawn(picture.title, parts)


def _rates(low: float, top: float) -> list[float]:
    """The roof's own rate, and powers of ten (or some of them) well below it."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(top / 3)) + 1)
    every = max(1, math.ceil(len(powers) / 4))
    return [top, *(10.0**p for p in powers[::-1][::every])]


def _star(x: float, y: float, told: str) -> str:
    strokes = f"M{x - 9:.1f} {y:.1f}h18M{x - 4.5:.1f} {y - 8:.1f}l9 16m0 -16l-9 16"
    return f'<path d="{strokes}" class="measured"><title>{escape(told)}</title></path>'


def _points(picture: RooflinePicture, x: object, y: object) -> list[str]:
    """Marks, each with its letter where no other one stands."""
    parts: list[str] = []
    taken: list[tuple[float, float]] = []
    for point in sorted(picture.points, key=lambda p: p.intensity):
        at = x(point.intensity), y(point.flops_per_second)  # type: ignore[operator]
        told = f"{point.told}: {point.intensity:.3g}, {scaled(point.flops_per_second)}FLOP/s"
        if point.mark == "*":
            parts.append(_star(*at, told))
            continue
        parts.append(mark(*at, 0, told))
        place = at[1] - 15
        while any(abs(place - other) < 22 and abs(at[0] - left) < 20 for left, other in taken):
            place = place - 24 if place < at[1] and place > TOP + 24 else max(place, at[1]) + 24
        taken.append((at[0], place))
        parts.append(words(at[0], place, point.mark, "name", "middle"))
    return parts
