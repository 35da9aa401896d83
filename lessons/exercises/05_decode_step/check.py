"""The document's decode steps one after the other, cached rows of no token, scores above 1,000."""

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import attend, project

MINUTES = 12
DIFFICULTY = 2
RESULTS = "output", "K", "V"


def expected(x, W_Q, W_K, W_V, K, V):
    K, V = np.vstack([K, x @ W_K]), np.vstack([V, x @ W_V])
    return attend((x @ W_Q)[None], K, V).output[0], K, V


def check(mine):
    ex = document()
    weights = ex.W_Q[0], ex.W_K[0], ex.W_V[0]
    X = ex.embed(ex.tokens)
    grown = [project(X[:2], W) for W in weights[1:]]
    for m in (2, 3):
        want = expected(X[m], *weights, *grown)
        got = mine.decode_step(X[m], *weights, *grown)
        same(f"decode_step({ex.tokens[m]})", got, want, RESULTS)
        grown = got[1:]
    rng = np.random.default_rng(0)
    x, K, V = rng.normal(size=3), *rng.normal(size=(2, 4, 2))
    given = x, *rng.normal(size=(3, 3, 2)), K, V
    same("decode_step(K: (4, 2)), seed 0", mine.decode_step(*given), expected(*given), RESULTS)
    x = np.array([60.0, 0.0])  # q and k are x: a score of 3600, and e^3600 is beyond a float
    given = x, *np.eye(2)[None].repeat(3, 0), np.array([[60.0, 1.0], [30.0, 0.0]]), np.eye(2)
    place = "decode_step(x=[60, 0], K=[[60, 1], [30, 0]])"
    same(place, mine.decode_step(*given), expected(*given), RESULTS)
