"""The document's prompt and three tokens, the last row alone, then random rows."""

import numpy as np

from walkthrough.document import document, printed
from walkthrough.exercises import same
from walkthrough.reference import attend, causal_mask


def check(mine):
    tokens = document().tokens[:3]
    Q, K, V = printed("Q"), printed("K"), printed("V")
    for first, last in ((0, 2), (0, 3), (2, 3)):
        rows, keys = slice(first, last), slice(0, last)
        got = mine.causal_attention(Q[rows], K[keys], V[keys])
        expected = attend(Q[rows], K[keys], V[keys], causal_mask(last - first, last)).output
        same("output", got, expected, tokens[rows], (1, 2))
    rng = np.random.default_rng(0)
    for n, m, d_k in ((1, 1, 3), (2, 5, 3), (4, 4, 1)):
        Q, K, V = rng.normal(size=(n, d_k)), *rng.normal(size=(2, m, d_k))
        got = mine.causal_attention(100 * Q, 10 * K, V)  # scores that e^x alone would not hold
        expected = attend(100 * Q, 10 * K, V, causal_mask(n, m)).output
        same(f"causal_attention(n={n}, m={m}, d_k={d_k})", got, expected)
