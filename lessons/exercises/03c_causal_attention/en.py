"""Attention with a causal mask (lesson 3)

Put scores, mask, softmax and output together in one function.
"""

import math

import numpy as np


def causal_attention(Q, K, V):
    """The last n of m tokens attend over all m, each up to its own position.

    Q: (n, d_k), K and V: (m, d_k), n ≤ m. Result: (n, d_k).
    Query i stands at position m - n + i and sees the keys up to that position.

    >>> Q = np.array([[2.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> causal_attention(Q[:2], K[:2], V[:2])
    array([[1. , 2. ],
           [1. , 1.5]])
    >>> causal_attention(Q[2:], K, V)
    array([[1.4011, 1.8022]])
    """
    raise NotImplementedError
