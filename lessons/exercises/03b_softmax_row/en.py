"""Softmax of one row (lesson 3)

Turn the scaled scores of 간다 (go), 2.8284, 2.1213, 2.8284, into weights that
add up to 1. One row, without NumPy.
"""

import math


def softmax_row(scores):
    """Weights of a list of scores, a list as well: e^score over the sum of
    all.

    Very large scores must not overflow: e^1000 is beyond what a float can
    hold.

    >>> softmax_row([2.8284, 2.1213, 2.8284])
    [0.4011, 0.1978, 0.4011]
    >>> softmax_row([1000, 1000])
    [0.5, 0.5]
    """
    raise NotImplementedError
