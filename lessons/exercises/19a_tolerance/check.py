"""Small arrays, a row that an absolute test misses, NaN, and rounded results with seed 0."""

import numpy as np

from walkthrough.exercises import same
from walkthrough.reference import attend

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    for bits in (8, 11, 24):
        same(f"unit({bits}) · 2^{bits}", mine.unit(bits) * 2**bits, 1)
    for found, exact, error in (
        ([1.0, 1.0], [1.0, 1.0], 0.0),
        ([0.0, 0.0], [3.0, 4.0], 1.0),
        ([3.0, 4.5], [3.0, 4.0], 0.1),
        ([0.0, 2.0], [0.0, 0.0], 2.0),
        ([-1.0, 1.0], [1.0, 1.0], 2**0.5),
    ):
        got = mine.relative_error(np.array(found), np.array(exact))
        same(f"relative_error({found}, {exact})", got, error)
    exact = np.arange(1.0, 13).reshape(2, 3, 2)
    for query, head in ((0, 0), (1, 2), (0, 1)):
        found = exact.copy()
        found[query, head] *= 1.5
        place = f"worst_head  # query {query}, head {head} of (2, 3, 2) is half too large"
        same(place, mine.worst_head(found, exact), (0.5, query, head))
    same("worst_head  # no difference", mine.worst_head(exact.copy(), exact), (0.0, 0, 0))
    found = exact.copy()
    found[1, 1, 0], found[0, 2, 0] = np.nan, 99
    _, query, head = mine.worst_head(found, exact)
    same("worst_head  # NaN in query 1, head 1", (query, head), (1, 1))
    same("agrees  # with NaN", mine.agrees(found, exact, 8), False)
    ones = np.ones((1, 1, 4))
    for excess, bits, verdict in ((2**-8, 8, True), (2**-7, 8, False), (2**-8, 11, False)):
        place = f"agrees  # each number is {excess} too large, bits={bits}"
        same(place, mine.agrees(ones + excess, ones, bits), verdict)
    many = np.ones((1, 100, 4))
    one_wrong = many.copy()
    one_wrong[0, 57] *= 1.01
    same("agrees  # one head of 100 is 1 % too large", mine.agrees(one_wrong, many, 8), False)
    rng = np.random.default_rng(1)
    q, K, V = rng.normal(size=(1, 128)), *rng.normal(size=(2, 4096, 128))
    exact = attend(q, K, V).output[None]
    rounded = exact.astype(np.float16).astype(float)
    same("agrees  # rounded to float16 once, seed 1", mine.agrees(rounded, exact, 11), True)
    dropped = attend(q, K[:-1], V[:-1]).output[None]
    place = "agrees  # the last of 4,096 tokens dropped: seed 1, the largest gap is "
    place += f"{np.abs(dropped - exact).max():.4f}"
    same(place, mine.agrees(dropped, exact, 8), False)
