"""임베딩에서 쿼리, 키, 값으로 (2번 레슨)

토큰의 임베딩에 가중치 행렬을 곱하면 쿼리, 키, 값이 돼요. 그 곱셈을 써 보세요.
`raise NotImplementedError`를 지우고 그 자리에 코드를 쓰면 돼요. 아래 예의
숫자는 소수 넷째 자리까지 반올림한 것이고, 검사할 때는 반올림 오차를 봐줘요.
"""

import numpy as np

from walkthrough.document import document


def project(X, W):
    """X의 각 행을 W로 투영해요.

    X: (n, d_model), W: (d_model, d_k). 결과: (n, d_k).
    i행 j열은 X의 i행과 W의 j열에서 같은 자리 숫자끼리 곱해서 모두 더한
    값이에요.

    >>> ex = document()
    >>> X = ex.embed(["나는", "학교에", "간다"])
    >>> project(X, ex.W_Q[0])
    array([[2., 0.],
           [1., 1.],
           [1., 2.]])
    >>> project(X, ex.W_K[0])
    array([[0., 2.],
           [1., 1.],
           [2., 1.]])
    """
    raise NotImplementedError
