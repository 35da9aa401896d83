"""캐시가 있는 디코드 한 단계 (5번 레슨)

새 토큰 하나만 투영하고, 앞 토큰들의 K와 V는 캐시에서 읽어요.
"""

import math

import numpy as np

from walkthrough.document import document


def decode_step(x, W_Q, W_K, W_V, K, V):
    """새 토큰의 어텐션 출력과, 한 행씩 늘어난 K와 V.

    x: (d_model,) 새 토큰의 임베딩. W_Q, W_K, W_V: (d_model, d_k).
    K, V: (m, d_k) 캐시에 있는 행들. 결과: 출력 (d_k,), K와 V (m + 1, d_k).

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
