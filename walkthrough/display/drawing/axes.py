"""The plane that curves and points are drawn on: two axes, linear from 0 or logarithmic."""

from __future__ import annotations

import math
from dataclasses import dataclass

from walkthrough.display.drawing.picture import HEIGHT, WIDTH, line, words

LEFT, RIGHT, TOP, BOTTOM = 104.0, 24.0, 26.0, 84.0  # what stands around the plane


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`, along a length from `start` to `end` of the picture."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a value stands; what is outside stands at the end."""
        value = min(self.high, max(self.low, value))
        low, high, value = ((math.log2(x) if self.log else x) for x in (self.low, self.high, value))
        share = (value - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)


def across(low: float, high: float, *, log: bool = False) -> Axis:
    """The axis below the plane."""
    return Axis(low, high, LEFT, WIDTH - RIGHT, log)


def upwards(low: float, high: float, *, log: bool = False) -> Axis:
    """The axis beside it."""
    return Axis(low, high, HEIGHT - BOTTOM, TOP, log)


def round_ticks(high: float, most: int = 5) -> list[float]:
    """Round numbers from 0 up to `high`, at most so many steps."""
    if high < 1e-300:  # nothing, or so little that its parts are 0
        return [0.0]
    rough = high / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * f for f in (1, 2, 2.5, 5, 10) if power * f >= rough * 0.999)
    return [i * step for i in range(math.floor(high / step * 1.001) + 1)]


def frame() -> list[str]:
    """The two lines that the axes are."""
    low = HEIGHT - BOTTOM
    return [line(LEFT, TOP, LEFT, low, "frame"), line(LEFT, low, WIDTH - RIGHT, low, "frame")]


def bottom_tick(x: Axis, value: float, text: str, minor: bool = False) -> list[str]:
    """A tick of the axis below; a `minor` one has no text on a phone."""
    place = x(value)
    return [
        line(place, TOP, place, HEIGHT - BOTTOM, "grid"),
        words(place, HEIGHT - BOTTOM + 28, text, "axis minor" if minor else "axis", "middle"),
    ]


def side_tick(y: Axis, value: float, text: str) -> list[str]:
    """A tick of the axis beside."""
    place = y(value)
    return [
        line(LEFT, place, WIDTH - RIGHT, place, "grid"),
        words(LEFT - 10, place + 7, text, "axis", "end"),
    ]


def caption_below(text: str) -> str:
    """What the axis below says."""
    return words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 22, text, "axis", "middle")
