"""The document's two blocks, parts whose maxima differ, then cuts of random rows."""

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend, part

MINUTES = 20
DIFFICULTY = 3
NAMES = ("m", "l", "o")


def expected(q, K, V):
    whole = part(q[None], K, V)
    return whole.m.item(), whole.l.item(), whole.o[0]


def check(mine):
    q, K, V = printed("Q")[2], printed("K"), printed("V")
    first, second = mine.part(q, K[:2], V[:2]), mine.part(q, K[2:], V[2:])
    same("part(block 1)", first, expected(q, K[:2], V[:2]), NAMES)
    same("part(block 2)", second, expected(q, K[2:], V[2:]), NAMES)
    for q, K, V in (
        ([1.0], [[0.0], [1.0]], [[2.0], [4.0]]),
        ([4.0], [[500.0], [499.0]], [[2.0], [4.0]]),
    ):
        arrays = [np.array(rows) for rows in (q, K, V)]
        same(f"part({q}, {K}, {V})", mine.part(*arrays), expected(*arrays), NAMES)
    e = np.exp(-1)
    low, high = (0.0, 1.0, np.array([2.0])), (1.0, 1.0, np.array([4.0]))  # the maxima differ
    whole = 1.0, e + 1, np.array([2 * e + 4])
    same("merge((0, 1, [2]), (1, 1, [4]))", mine.merge(low, high), whole, NAMES)
    same("merge((1, 1, [4]), (0, 1, [2]))", mine.merge(high, low), whole, NAMES)
    same("finish((1, 2, [3]))", mine.finish((1.0, 2.0, np.array([3.0]))), [1.5])
    rng = np.random.default_rng(0)
    for scale in (1, 1000):
        q, K, V = scale * rng.normal(size=3), rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
        blocks = [mine.part(q, K[i : i + 2], V[i : i + 2]) for i in range(0, 7, 2)]
        for order in (blocks, blocks[::-1]):
            whole = order[0]
            for block in order[1:]:
                whole = mine.merge(whole, block)
            same(f"merge of 4 blocks (scores x {scale}, seed 0)", whole, expected(q, K, V), NAMES)
            output = attend(q[None], K, V).output[0]
            same(f"finish (scores x {scale}, seed 0)", mine.finish(whole), output)
