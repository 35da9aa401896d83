"""The document's decode steps one after the other, then cached rows that no token would give."""

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import attend, project


def check(mine):
    ex = document()
    weights = ex.W_Q[0], ex.W_K[0], ex.W_V[0]
    X = ex.embed(ex.tokens)
    Q, K, V = (project(X, W) for W in weights)
    grown = K[:2], V[:2]
    for m in (2, 3):
        name, tokens = ex.tokens[m], ex.tokens[: m + 1]
        output, *grown = mine.decode_step(X[m], *weights, *grown)
        for place, got, whole in (("K", grown[0], K), ("V", grown[1], V)):
            same(place, got, whole[: m + 1], tokens, (1, 2))
        expected = attend(Q[m : m + 1], K[: m + 1], V[: m + 1]).output[0]
        same(f"output[{name}]", output, expected, (1, 2))
    rng = np.random.default_rng(0)
    x, K, V = rng.normal(size=3), *rng.normal(size=(2, 4, 2))
    W_Q, W_K, W_V = rng.normal(size=(3, 3, 2))
    before = K.copy()
    output, K_new, V_new = mine.decode_step(x, W_Q, W_K, W_V, K, V)
    same("K", K, before)
    K, V = np.vstack([K, x @ W_K]), np.vstack([V, x @ W_V])
    same("K (5, 2)", K_new, K)
    same("V (5, 2)", V_new, V)
    same("output", output, attend((x @ W_Q)[None], K, V).output[0])
    x = 1000 * x  # scores that e^x alone would not hold
    output, K, V = mine.decode_step(x, W_Q, W_K, W_V, K, V)
    same("output (large scores)", output, attend((x @ W_Q)[None], K, V).output[0])
