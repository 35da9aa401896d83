"""The prompt's scores, then those of three tokens, then other shapes."""

import numpy as np

from walkthrough.document import document, printed
from walkthrough.exercises import same
from walkthrough.reference import raw_scores, scale

MINUTES = 8
DIFFICULTY = 1


def check(mine):
    tokens = document().tokens
    Q, K = printed("Q"), printed("K")
    for n in (2, 3):
        expected = scale(raw_scores(Q[:n], K[:n]), 2)
        same("scores", mine.scores(Q[:n], K[:n]), expected, tokens[:n], tokens[:n])
    for n, m, d_k in ((1, 2, 4), (3, 2, 9), (2, 3, 5)):
        Q, K = np.arange(n * d_k).reshape(n, d_k) / 4, np.arange(m * d_k).reshape(m, d_k) - 3.0
        expected = scale(raw_scores(Q, K), d_k)
        same(f"scores(Q: {Q.shape}, K: {K.shape})", mine.scores(Q, K), expected)
