"""A roofline in characters."""

from __future__ import annotations

import io

import pytest

from walkthrough import RooflinePoint, attainable, draw_roofline
from walkthrough.display.roofline_picture import rate_text, scaled
from walkthrough.display.screen import Screen
from walkthrough.reference.speed.machines import MACHINES, Machine

SMALL = Machine("toy", 8e9, 4e9, 0, "")  # ridge 2


def drawn(points: list[RooflinePoint], width: int = 60, encoding: str = "utf-8") -> list[str]:
    out = io.StringIO()
    draw_roofline(SMALL, points, "roof", screen=Screen(out, width=width, encoding=encoding))
    return out.getvalue().splitlines()


def test_the_roof_is_a_slope_and_a_ceiling() -> None:
    assert [attainable(SMALL, x) for x in (0.5, 1, 2, 4, 100)] == [2e9, 4e9, 8e9, 8e9, 8e9]
    points = [
        RooflinePoint("a", 0.5, 2e9),
        RooflinePoint("b", 16, 8e9),
        RooflinePoint("*", 16, 1e9),
    ]
    lines = drawn(points)
    assert lines[0] == "roof" and lines[1].startswith("8.00G │") and "b" in lines[1]
    axis = next(line for line in lines if "^" in line)
    assert lines[1].index(".", 8) == pytest.approx(axis.index("^"), abs=1)
    assert axis.index("^") < lines[1].index("b")
    low = next(i for i, line in enumerate(lines) if "*" in line)
    assert lines[low].index("*") == lines[1].index("b")  # of one intensity, below the roof
    assert 1 < next(i for i, line in enumerate(lines) if "a" in line and i) < low
    assert "1/2" in lines[-2] and lines[-1].strip() == "FLOP/byte, ^ ridge"


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_it_fits_on_the_screen(width: int) -> None:
    for machine in MACHINES.values():
        out = io.StringIO()
        points = [RooflinePoint("a", 1e-3, 1.0), RooflinePoint("b", 1e6, 1e12)]
        draw_roofline(machine, points, screen=Screen(out, width=width, encoding="ascii"))
        lines = out.getvalue().splitlines()
        assert all(len(line) <= max(width, 26) for line in lines)
        out.getvalue().encode("ascii")
        assert sum("b" in line for line in lines[:-1]) == 1


def test_rates_have_three_digits() -> None:
    values = (312e12, 99.96e12, 4.084e12, 9.996e9, 54e9, 1e6, 12)
    assert [scaled(v) for v in values] == ["312T", "100T", "4.08T", "10.0G", "54.0G", "1.00M",
                                          "0.00M"]  # fmt: skip
    assert rate_text(312e12) == "312 TFLOP/s"
