"""인과 마스크가 있는 어텐션 (3번 레슨)

점수, 마스크, 소프트맥스, 출력을 한 함수로 이으세요.
"""

import math

import numpy as np


def causal_attention(Q, K, V):
    """마지막 n개 토큰의 쿼리가 m개 토큰의 키와 값을 봐요.

    Q: (n, d_k), K와 V: (m, d_k), n ≤ m. 결과: (n, d_k).
    i번째 쿼리는 위치 m - n + i에 있고, 자기 위치까지의 키만 볼 수 있어요.

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
