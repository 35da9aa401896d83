"""블록별 결과 합치기 (10번 레슨)

블록마다 따로 계산한 m, l, o를 합쳐서, 한 번에 계산한 어텐션과 똑같은 출력을
얻으세요.
"""

import math

import numpy as np


def part(q, K, V):
    """블록 하나의 (m, l, o). 나눗셈은 아직 하지 않아요.

    q: (d_k,), K와 V: (m개 행, d_k).
    m: 가장 큰 스케일한 점수. l: e^(점수 - m)의 합.
    o: V의 각 행에 e^(점수 - m)을 곱해서 더한 것 (d_k,).

    >>> q = np.array([1.0, 2.0])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> part(q, K[:2], V[:2])
    (2.8284, 1.4931, array([1.4931, 2.4931]))
    >>> part(q, K[2:], V[2:])
    (2.8284, 1.0, array([2., 2.]))
    """
    raise NotImplementedError


def merge(a, b):
    """두 부분 (m, l, o)를 하나로. 둘을 더 큰 m에 맞추고 나서 더해요.

    >>> q = np.array([1.0, 2.0])
    >>> K = np.array([[0.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    >>> V = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 2.0]])
    >>> merge(part(q, K[:2], V[:2]), part(q, K[2:], V[2:]))
    (2.8284, 2.4931, array([3.4931, 4.4931]))
    """
    raise NotImplementedError


def finish(whole):
    """모두 합친 (m, l, o)에서 어텐션의 출력 (d_k,).

    >>> finish((2.8284, 2.4931, np.array([3.4931, 4.4931])))
    array([1.4011, 1.8022])
    """
    raise NotImplementedError
