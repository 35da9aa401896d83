"""A scale for each channel (lesson 24)

Turn numbers into whole multiples of a scale, and back. The axis says who
shares a scale.
"""

import numpy as np


def quantise(x, axis, largest=7):
    """(whole numbers, scales). x: (tokens, channels).

    A scale is the largest magnitude along axis ÷ largest: with axis=0 one for
    each channel, (1, channels), with axis=1 one for each token, (tokens, 1).
    The whole numbers are x ÷ scale, rounded to the nearest, halves to even
    (np.rint), as int8.

    Where everything is 0, scale and whole numbers are 0. Do not divide by 0.

    >>> codes, scales = quantise(np.array([[1.0, 70.0], [-7.0, 35.0]]), axis=0)
    >>> codes.tolist()
    [[1, 7], [-7, 4]]
    >>> scales
    array([[ 1., 10.]])
    """
    raise NotImplementedError


def dequantise(codes, scales):
    """The numbers that the whole numbers stand for.

    >>> dequantise(np.array([[1, 7], [-7, 4]]), np.array([[1.0, 10.0]]))
    array([[ 1., 70.],
           [-7., 40.]])
    """
    raise NotImplementedError


def score_bounds(q, scales):
    """For keys rounded with a scale for each token, (tokens, 1): what the
    error of a score q·k cannot exceed, (tokens,).

    >>> score_bounds(np.array([1.0, -2.0]), np.array([[10.0], [0.5]]))
    array([15.  ,  0.75])
    """
    raise NotImplementedError
