"""A number as text: how many digits, and which words for what has none."""

from __future__ import annotations

import math
from numbers import Integral


def number(value: float, precision: int) -> str:
    """A number as shown: whole ones without decimals, no −0, ∞ and nan by name.

    What lies within rounding error of a whole number is shown as whole, so that the last
    bit, which differs between processors, never changes what is printed.
    """
    if isinstance(value, Integral):
        return f"{int(value):,}"
    x = float(value)
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "∞" if x > 0 else "-∞"
    if abs(x) >= 1e15:  # more digits than float64 knows
        return f"{x:.{precision}e}"
    text = f"{x:,.{precision}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    nearest = round(x)
    rounding_error = 10.0 ** -(precision + 5) * max(1.0, abs(x))
    if abs(x - nearest) <= rounding_error and text == f"{nearest:,.{precision}f}":
        return f"{nearest:,}"
    return text
