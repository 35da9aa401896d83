"""헤드로 나누고 W_O로 합치기 (3번 레슨)

한 행을 헤드의 수만큼 나누어 헤드마다 어텐션을 계산하고, 이어 붙여 W_O를
곱하세요.
"""

import numpy as np


def split_heads(X, h):
    """(n, h · d_k) → (h, n, d_k). 헤드 0이 앞의 d_k열이에요.

    >>> X = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    >>> split_heads(X, 2)[0]
    array([[1, 2], [5, 6]])
    >>> split_heads(X, 2)[1]
    array([[3, 4], [7, 8]])
    """
    raise NotImplementedError


def join_heads(heads):
    """거꾸로: (h, n, d_k) → (n, h · d_k).

    >>> join_heads(np.array([[[1, 2], [5, 6]], [[3, 4], [7, 8]]]))
    array([[1, 2, 3, 4], [5, 6, 7, 8]])
    """
    raise NotImplementedError


def multi_head(attend, Q, K, V, W_O):
    """헤드마다의 출력을 이어 붙이고 W_O를 곱한 것: (n, d_model).

    Q, K, V: (h, n, d_k). attend(q, k, v)는 헤드 하나의 출력 (n, d_k)를 줘요.
    W_O: (h · d_k, d_model).

    >>> def first_value(q, k, v):
    ...     return v[:1] + 0 * q
    >>> V = np.array([[[1, 2]], [[3, 4]]])
    >>> multi_head(first_value, V, V, V, np.eye(4))
    array([[1., 2., 3., 4.]])
    """
    raise NotImplementedError
