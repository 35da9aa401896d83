"""Heads of a rank (lessons 7 and 25)

Split heads over several processes (ranks), and make one of what each has
computed. The block tables are the same for all ranks.
"""

import numpy as np


def kv_heads_of(rank, world, h_kv):
    """The K/V heads that a rank of world stores, as a list of numbers. Each
    gets the same number of neighbours. ValueError where they do not split
    evenly.

    >>> kv_heads_of(1, world=2, h_kv=4)
    [2, 3]
    """
    raise NotImplementedError


def query_heads_of(rank, world, h, h_kv):
    """The query heads that use them. h query heads share h_kv K/V heads,
    neighbours of equal number (lesson 7).

    >>> query_heads_of(1, world=2, h=8, h_kv=4)
    [4, 5, 6, 7]
    >>> query_heads_of(0, world=3, h=6, h_kv=3)
    [0, 1]
    """
    raise NotImplementedError


def add_up(outputs, W_O):
    """The sum of what all ranks compute, (n, d_model).

    outputs has for each rank in turn the attention outputs of its query
    heads, (n, heads, d_k). W_O is (h · d_k, d_model), with d_k rows for each
    head. A rank multiplies with the rows of its own heads alone.

    >>> outputs = [np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0]]])]
    >>> W_O = np.array([[1.0, 0.0], [0.0, 1.0], [10.0, 0.0], [0.0, 10.0]])
    >>> add_up(outputs, W_O)
    array([[31., 42.]])
    """
    raise NotImplementedError
