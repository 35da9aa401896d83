"""스케일한 점수 (3번 레슨)

모든 쿼리를 모든 키와 맞춰 보세요. 점수는 내적이고, √d_k로 나눠요.
"""

import math

import numpy as np


def scores(Q, K):
    """Q의 i번째 쿼리와 K의 j번째 키의 내적을 √d_k로 나눈 값이 i행 j열이에요.

    Q: (n, d_k), K: (m, d_k). 결과: (n, m).

    >>> Q = np.array([[2.0, 0.0], [1.0, 1.0]])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0]])
    >>> scores(Q, K)
    array([[0.    , 1.4142],
           [1.4142, 1.4142]])
    """
    raise NotImplementedError
