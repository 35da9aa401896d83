"""The document's Q, K and V, then other shapes and numbers that are not whole."""

import numpy as np

from walkthrough.document import document, printed
from walkthrough.exercises import same

MINUTES = 8
DIFFICULTY = 1


def check(mine):
    ex = document()
    tokens = ex.tokens[:3]
    X = ex.embed(tokens)
    for name, W in (("Q", ex.W_Q), ("K", ex.W_K), ("V", ex.W_V)):
        same(name, mine.project(X, W[0]), printed(name), tokens)
    X, W = np.arange(6).reshape(2, 3) / 4, np.arange(12.0).reshape(3, 4) - 5
    same("project(X: (2, 3), W: (3, 4))", mine.project(X, W), X @ W)
    same("project(X: (1, 3), W: (3, 4))", mine.project(X[:1], W), X[:1] @ W)
