"""키를 계산하지 않는 어텐션 (24번 레슨)

잠재 벡터만 저장한 캐시에서 헤드 하나의 점수와 출력을 구하세요. 키와 값을
토큰마다 다시 계산하지 마세요. 곱셈을 세어서 확인해요.
"""

import numpy as np


def absorb(q, W_UK):
    """W_UK를 흡수한 쿼리 (d_c,). q: (d_h,), W_UK: (d_c, d_h). 토큰의 키는
    c·W_UK예요.

    >>> absorb(np.array([1, 1]), np.array([[1, 1], [0, 1]]))
    array([2, 1])
    """
    raise NotImplementedError


def scores(q, latents, W_UK):
    """점수 (m,): 쿼리와 각 토큰의 키의 내적, 나누지 않은 것. latents: (m,
    d_c).

    곱셈은 d_c · d_h + m · d_c번이면 돼요.

    >>> latents = np.array([[3, 1], [1, 0], [2, 1]])
    >>> scores(np.array([1, 1]), latents, np.array([[1, 1], [0, 1]]))
    array([7, 2, 5])
    """
    raise NotImplementedError


def output(weights, latents, W_UV):
    """헤드의 출력 (d_h,): 토큰의 값 c·W_UV를 가중치 (m,)로 섞은 것.

    곱셈은 m · d_c + d_c · d_h번이면 돼요.

    >>> latents = np.array([[3, 1], [1, 0], [2, 1]])
    >>> W_UV = np.array([[1, 0], [1, 1]])
    >>> output(np.array([0.5, 0.25, 0.25]), latents, W_UV)
    array([3.  , 0.75])
    """
    raise NotImplementedError
