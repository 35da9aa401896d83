"""The lesson's keys by channel and by token, zeros, 8 bits, then bounds that hold, with seed 0."""

import warnings

import numpy as np

from walkthrough.exercises import same
from walkthrough.reference import quantised

MINUTES = 20
DIFFICULTY = 2
RESULTS = "codes", "scales"

KEYS = np.array([[1, -2, 70, 3], [2, 1, -63, -1], [-1, 3, 56, 2], [3, -1, -70, 1]], float)
ZEROS = np.array([[0.0, 0.0, 0.0], [0.0, 4.0, -2.0]])


def check(mine):
    rng = np.random.default_rng(0)
    for name, x in (("K", KEYS), ("zeros", ZEROS), ("halves", np.array([[7.0, 2.5, -3.5, 0.5]]))):
        for axis in (0, 1):
            for bits, largest in ((4, 7), (8, 127)):
                expected = quantised(x, bits, axis)
                place = f"quantise({name}, axis={axis}, largest={largest})"
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    got = mine.quantise(x, axis, largest)
                same(place, got, (expected.codes, expected.scales), RESULTS)
                same(f"{place}: codes.dtype", str(np.asarray(got[0]).dtype), "int8")
                back = mine.dequantise(expected.codes, expected.scales)
                same(f"dequantise of {place}", back, expected.values)
    for d in (1, 3, 8):
        q = rng.normal(size=d)
        scales = rng.uniform(0.1, 2, (5, 1))
        got = mine.score_bounds(q, scales)
        same("score_bounds(q, scales), seed 0", got, np.abs(q).sum() * scales[:, 0] / 2)
