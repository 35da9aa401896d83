"""The document's two blocks, then cuts of random rows whose maxima lie far apart."""

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend, part


def expected(q, K, V):
    whole = part(q[None], K, V)
    return whole.m.item(), whole.l.item(), whole.o[0]


def check(mine):
    names = ("m", "l", "o")
    q, K, V = printed("Q")[2], printed("K"), printed("V")
    first, second = mine.part(q, K[:2], V[:2]), mine.part(q, K[2:], V[2:])
    same("part(block 1)", first, expected(q, K[:2], V[:2]), names, (1, 2))
    same("part(block 2)", second, expected(q, K[2:], V[2:]), names, (1, 2))
    whole = mine.merge(first, second)
    same("merge(block 1, block 2)", whole, expected(q, K, V), names, (1, 2))
    same("finish", mine.finish(whole), attend(q[None], K, V).output[0], (1, 2))
    rng = np.random.default_rng(0)
    for scale in (1, 30, 1000):
        q, K, V = scale * rng.normal(size=3), rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
        blocks = [mine.part(q, K[i : i + 2], V[i : i + 2]) for i in range(0, 7, 2)]
        for order in (blocks, blocks[::-1]):
            whole = order[0]
            for block in order[1:]:
                whole = mine.merge(whole, block)
            place = f"merge (scores x {scale})"
            same(place, whole, expected(q, K, V), names)
            same(f"finish (scores x {scale})", mine.finish(whole), attend(q[None], K, V).output[0])
