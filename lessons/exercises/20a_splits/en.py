"""Merging splits (lesson 20)

When the keys of a long sequence are cut into splits, each leaves an output
and a log-sum-exp. Make the answer of the whole from these alone: scores, m
and l are gone.
"""

import numpy as np


def split(q, K, V):
    """(output (d_k,), log-sum-exp) of one split; (zeros, -∞) where there are
    no keys.

    q: (d_k,), K and V: (m, d_k). The log-sum-exp is the logarithm of the sum
    of e to the scaled scores. It may not overflow where a score is 1000.

    >>> q, K = np.array([2.0]), np.array([[0.0], [0.5]])
    >>> out, lse = split(q, K, np.array([[1.0], [3.0]]))
    >>> out, lse
    (array([2.4621]), 1.3133)
    """
    raise NotImplementedError


def merge(outputs, sums):
    """(output (d_k,), log-sum-exp) of all splits together.

    outputs: (splits, d_k), sums: (splits,). A split weighs in proportion to
    e^(its log-sum-exp). An empty one (-∞) adds nothing; at least one is not
    empty.

    >>> merge(np.array([[1.0], [3.0], [0.0]]), np.array([0.0, 0.0, -np.inf]))
    (array([2.]), 0.6931)
    """
    raise NotImplementedError


def spans(n, count, tile):
    """(begin, end) of each of `count` splits of n keys. They are cut between
    tiles only, with as many tiles each from the front on; the last may be
    empty.

    >>> spans(10, 2, 3)
    [(0, 6), (6, 10)]
    >>> spans(10, 6, 3)
    [(0, 3), (3, 6), (6, 9), (9, 10), (10, 10), (10, 10)]
    """
    raise NotImplementedError
