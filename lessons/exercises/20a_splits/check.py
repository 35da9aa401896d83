"""Splits by hand, empty and uneven ones, large scores, then random keys cut in every way."""

import math

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend

MINUTES = 20
DIFFICULTY = 3
PARTS = ("output", "log-sum-exp")


def exactly(q, K, V):
    whole = attend(q[None], K, V)
    lse = whole.row_max[0, 0] + np.log(whole.row_sums[0, 0])
    return whole.output[0], lse


def check(mine):
    q, K, V = printed("Q")[2], printed("K"), printed("V")
    for rows in ([0], [0, 1], [0, 1, 2]):
        got = mine.split(q, K[rows], V[rows])
        for part, a, b in zip(PARTS, got, exactly(q, K[rows], V[rows]), strict=True):
            same(f"split  # the example's rows {rows}: {part}", a, b)
    out, lse = mine.split(q, K[:0], V[:0])
    same("split  # no keys: output", out, np.zeros(2))
    same("split  # no keys: log-sum-exp", lse, -np.inf)
    out, lse = mine.split(np.array([1000.0]), np.array([[1.0], [1.0]]), np.array([[1.0], [3.0]]))
    same("split  # two scores of 1000: output", out, [2.0])
    same("split  # two scores of 1000: log-sum-exp", lse, 1000 + np.log(2))
    three = [0.0, np.log(3)]
    for sums, weights in ((three, [1, 3]), ([-np.inf, 5.0], [0, 1]), ([900.0, 0], [1, 0])):
        outputs = np.array([[1.0, 0.0], [0.0, 4.0]])
        out, lse = mine.merge(outputs, np.array(sums))
        place = f"merge({outputs.tolist()}, {sums})"
        same(f"{place}: output", out, np.array(weights) @ outputs / sum(weights))
        same(f"{place}: log-sum-exp", lse, np.logaddexp(*sums))
    for n in (1, 5, 9, 10, 12):
        for count in (1, 2, 3, 6):
            for tile in (1, 3, 4):
                got = mine.spans(n, count, tile)
                place = f"spans({n}, {count}, {tile})"
                same(f"len({place})", len(got), count)
                each = math.ceil(math.ceil(n / tile) / count) * tile
                ends = [(min(i * each, n), min(i * each + each, n)) for i in range(count)]
                same(place, got, ends)
    rng = np.random.default_rng(0)
    for n, count, tile in ((10, 2, 3), (10, 6, 3), (64, 5, 4)):
        q, K, V = 3 * rng.normal(size=4), *rng.normal(size=(2, n, 4))
        parts = [mine.split(q, K[a:b], V[a:b]) for a, b in mine.spans(n, count, tile)]
        got = mine.merge(np.array([o for o, _ in parts]), np.array([s for _, s in parts]))
        for part, a, b in zip(PARTS, got, exactly(q, K, V), strict=True):
            same(f"merged  # {n} keys in {count} splits, seed 0: {part}", a, b)
