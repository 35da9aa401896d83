"""Attention along a block table (lesson 10)

Compute the attention of one query with K and V scattered over blocks.
"""

import math

import numpy as np


def paged_attention(q, K, V, block_table, seq_len):
    """One query sees all seq_len tokens of its sequence.

    q: (d_k,). K, V: the whole pool (blocks, block_size, d_k). Result: (d_k,).
    Only the front of the table may be in use; behind it stands anything.
    Slots that were never written hold nan.

    >>> nan = np.nan
    >>> K = np.array([[[nan, nan], [nan, nan]],
    ...               [[2.0, 1.0], [nan, nan]],
    ...               [[0.0, 2.0], [1.0, 1.0]]])
    >>> V = np.array([[[nan, nan], [nan, nan]],
    ...               [[2.0, 2.0], [nan, nan]],
    ...               [[1.0, 2.0], [1.0, 1.0]]])
    >>> paged_attention(np.array([1.0, 2.0]), K, V, [2, 1], 3)
    array([1.4011, 1.8022])
    """
    raise NotImplementedError
