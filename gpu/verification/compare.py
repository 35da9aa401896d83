"""How far a result is from the reference: per head of a sequence, relative, in the L2 norm.

An absolute bound would let a dropped token pass: over 4,096 keys an output is small. Relative to
its own length, what is wrong stands out, and what was rounded does not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence as SequenceOf
from typing import NamedTuple

import numpy as np

from walkthrough.reference.work import Array

# Of the worst (sequence, head). Inputs are rounded to the dtype before the reference sees them;
# what is left is the rounding on the way, and of the output.
TOLERANCES = {"float32": 2e-6, "float16": 5e-4, "bfloat16": 3.5e-3}
LSE_TOLERANCE = 5e-6  # kept in float32 in every dtype; relative where it is larger than 1


class Worst(NamedTuple):
    """The largest error, and where: which sequence of the batch, head, row of the sequence."""

    error: float
    sequence: int
    head: int
    row: int


def worst_output(out: Array, reference: Array, starts: SequenceOf[int]) -> Worst:
    """Relative L2 error of the worst (sequence, head); rows (n, h, d_k), NaN counts as ∞."""
    worst = Worst(-1.0, 0, 0, 0)
    for i, (start, end) in enumerate(itertools.pairwise(starts)):
        difference = np.nan_to_num(out[start:end] - reference[start:end], nan=math.inf)
        rows = np.linalg.norm(difference, axis=2)  # (n, h)
        length = np.linalg.norm(reference[start:end], axis=(0, 2))  # (h,)
        errors = np.linalg.norm(rows, axis=0) / np.where(length == 0, 1.0, length)  # (h,)
        if end > start and errors.max() > worst.error:
            head = int(errors.argmax())
            worst = Worst(float(errors[head]), i, head, int(rows[:, head].argmax()))
    return worst


def worst_log_sum(lse: Array, reference: Array, starts: SequenceOf[int]) -> Worst:
    """The same for log Σ e^score (n, h): the difference, relative where the value is above 1."""
    with np.errstate(invalid="ignore"):
        difference = np.abs(lse - reference) / np.maximum(1.0, np.abs(reference))
    difference = np.where(lse == reference, 0.0, np.nan_to_num(difference, nan=math.inf))
    row, head = np.unravel_index(int(difference.argmax()), difference.shape)
    sequence = int(np.searchsorted(starts, row, side="right")) - 1
    return Worst(float(difference[row, head]), sequence, int(head), int(row) - starts[sequence])
