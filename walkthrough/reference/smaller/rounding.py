"""Numbers in fewer bits: whole numbers times a scale, and FP8.

Integers are symmetric, as KIVI's ancestors and vLLM's `int8_per_token_head` have them: the
largest magnitude becomes 127 (8 bits) or 7 (4 bits), so a number is off by half a scale at most.
FP8 (Micikevicius et al. 2022) keeps a share of each number instead: its steps grow with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkthrough.reference.work import Array

LEVELS = {8: 127, 4: 7}  # the largest code for so many bits
SCALE_BYTES = 4  # a scale is kept in float32


@dataclass(frozen=True)
class Codes:
    """Whole numbers, and what one step is worth: `scales` broadcasts over `codes`."""

    codes: NDArray[np.int8]
    scales: Array

    @property
    def values(self) -> Array:
        """The numbers that the codes stand for, in the scales' dtype."""
        values: Array = self.codes * self.scales
        return values


def quantised(
    x: Array,
    bits: int = 8,
    axis: int | tuple[int, ...] | None = None,
    scale_dtype: DTypeLike | None = None,
) -> Codes:
    """X in whole numbers, each at most half of its scale off.

    One scale is shared along `axis`, as in `np.max`: None for the whole array (per tensor), −1
    for each row (per token), 0 for each column (per channel). What is 0 all along stays 0. Scales
    are in `scale_dtype`, by default x's.
    Raises ValueError for numbers that are not finite, or too large for that dtype, and for bits
    other than 8 and 4.
    """
    if bits not in LEVELS:
        raise ValueError(f"{bits} bits are not known here; known: 8, 4")
    if not np.isfinite(x).all():
        raise ValueError("only finite numbers can be rounded to whole ones")
    largest = np.abs(x).max(axis=axis, keepdims=True, initial=0)
    with np.errstate(over="ignore"):
        scales: Array = (largest / LEVELS[bits]).astype(scale_dtype or x.dtype)
        fits = np.isfinite(scales * scales.dtype.type(LEVELS[bits]))
    if not fits.all():
        raise ValueError(f"{largest.max()} is too large: scales are in {scales.dtype}")
    steps = np.rint(x / np.where(scales == 0, 1, scales))
    # A scale that was itself rounded down must not lead past the last code.
    return Codes(np.clip(steps, -LEVELS[bits], LEVELS[bits]).astype(np.int8), scales)


@dataclass(frozen=True)
class Float8:
    """A format of 8 bits: a sign, an exponent, and so many bits behind the leading one."""

    fraction_bits: int
    smallest: int  # exponent of the smallest normal number; below it the steps stay as they are
    largest: float

    def rounded(self, x: Array) -> Array:
        """Each number as the nearest that there is, halves to even; what is too large is clipped.

        A normal number is off by 2^−(fraction_bits + 1) of itself at most. NaN stays NaN.
        """
        _, exponent = np.frexp(x)  # x = m · 2^exponent, 1/2 ≤ |m| < 1
        step = np.exp2(np.maximum(exponent - 1, self.smallest) - self.fraction_bits)
        nearest: Array = np.clip(np.rint(x / step) * step, -self.largest, self.largest)
        return nearest


FLOAT8 = {"e4m3": Float8(3, -6, 448.0), "e5m2": Float8(2, -14, 57344.0)}


def bits_per_number(bits: int, numbers: int, scales: int = 1, scale_bits: int = 32) -> float:
    """What a number really takes where `numbers` of them share `scales` scales."""
    return bits + scales * scale_bits / numbers
