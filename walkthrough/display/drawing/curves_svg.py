"""Curves as SVG: each with its own line and mark, and a legend above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.display.drawing.axes import (
    LEFT,
    across,
    bottom_tick,
    caption_below,
    frame,
    round_ticks,
    side_tick,
    upwards,
)
from walkthrough.display.drawing.picture import drawn, mark, words
from walkthrough.display.number import number

if TYPE_CHECKING:
    from walkthrough.display.plots import CurvePicture


def curves_svg(picture: CurvePicture) -> str:
    """Both axes from 0 on."""
    x, y = across(0, max(picture.x)), upwards(0, picture.top * 1.04)
    parts: list[str] = []
    for i, tick in enumerate(round_ticks(max(picture.x), 8)):
        parts += bottom_tick(x, tick, number(tick, 1), minor=i % 2 > 0)
    for tick in round_ticks(picture.top):
        parts += side_tick(y, tick, number(tick, 2 if picture.top < 2 else 1))
    parts += frame()
    legend = LEFT + 8
    for i, (name, values) in enumerate(picture.series.items()):
        places = [(x(a), y(b)) for a, b in zip(picture.x, values, strict=True)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f'<polyline points="{path}" class="curve s{i % 4}"/>')
        for place, a, b in zip(places, picture.x, values, strict=True):
            parts.append(mark(*place, i, f"{name}: {a:g}, {number(float(b), 4)}"))
        parts.append(mark(legend + 6, 9, i))
        parts.append(words(legend + 22, 16, name, f"s{i % 4}"))
        legend += 58 + 14 * sum(2 if ord(c) > 0x1100 else 1 for c in name)
    parts.append(caption_below(picture.unit))
    return drawn(picture.title or ", ".join(picture.series), parts)
