"""Merging the parts (lesson 10)

Merge what each block gave alone, m, l and o, into the very output of attention
computed in one piece.
"""

import math

import numpy as np


def part(q, K, V):
    """(m, l, o) of one block; nothing is divided yet.

    q: (d_k,), K and V: (rows, d_k).
    m: the largest scaled score. l: the sum of e^(score - m).
    o: the rows of V, each times its e^(score - m), added up: (d_k,).

    >>> q = np.array([1.0, 2.0])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> part(q, K[:2], V[:2])
    (2.8284, 1.4931, array([1.4931, 2.4931]))
    >>> part(q, K[2:], V[2:])
    (2.8284, 1.0, array([2., 2.]))
    """
    raise NotImplementedError


def merge(a, b):
    """Two parts (m, l, o) as one: both are brought to the larger m, then
    added.

    >>> q = np.array([1.0, 2.0])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> merge(part(q, K[:2], V[:2]), part(q, K[2:], V[2:]))
    (2.8284, 2.4931, array([3.4931, 4.4931]))
    """
    raise NotImplementedError


def finish(whole):
    """The attention's output (d_k,), from everything merged.

    >>> finish((2.8284, 2.4931, np.array([3.4931, 4.4931])))
    array([1.4011, 1.8022])
    """
    raise NotImplementedError
