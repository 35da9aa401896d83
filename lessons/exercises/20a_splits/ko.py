"""조각을 합치기 (20번 레슨)

긴 시퀀스의 키를 여러 조각으로 나누면 조각마다 출력과 log-sum-exp가 하나씩
나와요. 이것만으로 전체의 답을 만드세요. 점수와 m, l은 이미 없어요.
"""

import numpy as np


def split(q, K, V):
    """조각 하나의 (출력 (d_k,), log-sum-exp). 키가 하나도 없으면 (0뿐인 출력,
    -∞)예요.

    q: (d_k,), K와 V: (m, d_k). log-sum-exp는 스케일한 점수의 e 거듭제곱을
    더한 것의 로그예요. 점수가 1000이어도 넘치지 않아야 해요.

    >>> q, K = np.array([2.0]), np.array([[0.0], [0.5]])
    >>> out, lse = split(q, K, np.array([[1.0], [3.0]]))
    >>> out, lse
    (array([2.4621]), 1.3133)
    """
    raise NotImplementedError


def merge(outputs, sums):
    """조각들을 합친 (출력 (d_k,), log-sum-exp).

    outputs: (조각, d_k), sums: (조각,). 조각의 가중치는 e^(log-sum-exp)에
    비례해요. 빈 조각(-∞)은 아무것도 보태지 않아요. 하나 이상은 비어 있지
    않아요.

    >>> merge(np.array([[1.0], [3.0], [0.0]]), np.array([0.0, 0.0, -np.inf]))
    (array([2.]), 0.6931)
    """
    raise NotImplementedError


def spans(n, count, tile):
    """n개의 키를 count조각으로 나눈 (처음, 끝)들. 조각은 타일의 경계에서만
    나뉘고, 앞에서부터 같은 수의 타일을 가져요. 뒤의 조각은 비어 있을 수
    있어요.

    >>> spans(10, 2, 3)
    [(0, 6), (6, 10)]
    >>> spans(10, 6, 3)
    [(0, 3), (3, 6), (6, 9), (9, 10), (10, 10), (10, 10)]
    """
    raise NotImplementedError
