"""The prompt's scores, then those of three tokens, then other shapes."""

import numpy as np

from walkthrough.document import document, printed
from walkthrough.exercises import same
from walkthrough.reference import raw_scores, scale


def check(mine):
    tokens = document().tokens
    Q, K = printed("Q"), printed("K")
    for n in (2, 3):
        expected = scale(raw_scores(Q[:n], K[:n]), 2)
        same("scores", mine.scores(Q[:n], K[:n]), expected, tokens[:n], tokens[:n])
    rng = np.random.default_rng(0)
    Q, K = rng.normal(size=(2, 5)), rng.normal(size=(3, 5))
    same("scores(Q: (2, 5), K: (3, 5))", mine.scores(Q, K), scale(raw_scores(Q, K), 5))
