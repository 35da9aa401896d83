"""One decode step with a cache (lesson 5)

Only the new token is projected; the K and V of those before it are read from
the cache.
"""

import math

import numpy as np

from walkthrough.document import document


def decode_step(x, W_Q, W_K, W_V, K, V):
    """The new token's attention output, and K and V with one row more.

    x: (d_model,), the new token's embedding. W_Q, W_K, W_V: (d_model, d_k).
    K, V: (m, d_k), what is cached. Result: output (d_k,), K and V (m + 1,
    d_k).

    >>> ex = document()
    >>> x = ex.embed(["간다"])[0]
    >>> W_Q, W_K, W_V = ex.W_Q[0], ex.W_K[0], ex.W_V[0]
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0]])
    >>> output, K, V = decode_step(x, W_Q, W_K, W_V, K, V)
    >>> output
    array([1.4011, 1.8022])
    >>> K
    array([[0., 2.],
           [1., 1.],
           [2., 1.]])
    """
    raise NotImplementedError
