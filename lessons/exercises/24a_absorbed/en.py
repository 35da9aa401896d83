"""Attention that computes no keys (lesson 24)

From a cache of latents alone, find one head's scores and its output. Do
not compute the keys and values of every token again: multiplications are
counted.
"""

import numpy as np


def absorb(q, W_UK):
    """The query with W_UK absorbed: (d_c,). q: (d_h,), W_UK: (d_c, d_h). A
    token's key would be c·W_UK.

    >>> absorb(np.array([1, 1]), np.array([[1, 1], [0, 1]]))
    array([2, 1])
    """
    raise NotImplementedError


def scores(q, latents, W_UK):
    """The scores (m,): the query's dot product with each token's key, not
    divided. latents: (m, d_c).

    d_c · d_h + m · d_c multiplications are enough.

    >>> latents = np.array([[3, 1], [1, 0], [2, 1]])
    >>> scores(np.array([1, 1]), latents, np.array([[1, 1], [0, 1]]))
    array([7, 2, 5])
    """
    raise NotImplementedError


def output(weights, latents, W_UV):
    """The head's output (d_h,): the tokens' values c·W_UV, mixed by weights
    (m,).

    m · d_c + d_c · d_h multiplications are enough.

    >>> latents = np.array([[3, 1], [1, 0], [2, 1]])
    >>> W_UV = np.array([[1, 0], [1, 1]])
    >>> output(np.array([0.5, 0.25, 0.25]), latents, W_UV)
    array([3.  , 0.75])
    """
    raise NotImplementedError
