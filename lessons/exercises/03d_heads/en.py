"""Cut into heads, joined by W_O (lesson 3)

Cut rows into heads, attend in each, put the outputs side by side and
multiply by W_O.
"""

import numpy as np


def split_heads(X, h):
    """(n, h · d_k) → (h, n, d_k). Head 0 has the first d_k columns.

    >>> X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    >>> split_heads(X, 2)[0]
    array([[1, 2], [5, 6]])
    >>> split_heads(X, 2)[1]
    array([[3, 4], [7, 8]])
    """
    raise NotImplementedError


def join_heads(heads):
    """The other way: (h, n, d_k) → (n, h · d_k).

    >>> join_heads(np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]))
    array([[1, 2, 3, 4], [5, 6, 7, 8]])
    """
    raise NotImplementedError


def multi_head(attend, Q, K, V, W_O):
    """The heads' outputs side by side, times W_O: (n, d_model).

    Q, K, V: (h, n, d_k). attend(q, k, v) gives the output (n, d_k) of one
    head. W_O: (h · d_k, d_model).

    >>> def first_value(q, k, v):
    ...     return v[:1] + 0 * q
    >>> V = np.array([[[1, 2]], [[3, 4]]])
    >>> multi_head(first_value, V, V, V, np.eye(4))
    array([[1., 2., 3., 4.]])
    """
    raise NotImplementedError
