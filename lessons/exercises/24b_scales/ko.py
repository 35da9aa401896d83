"""채널마다 하나인 스케일 (24번 레슨)

숫자를 스케일의 정수 배로 바꾸고 되돌리세요. 스케일을 누가 함께 쓰는지는
축이 정해요.
"""

import numpy as np


def quantise(x, axis, largest=7):
    """(정수, 스케일). x: (토큰, 채널).

    스케일은 axis를 따라 절댓값이 가장 큰 수 ÷ largest예요. axis=0이면
    채널마다 하나 (1, 채널), axis=1이면 토큰마다 하나 (토큰, 1). 정수는 x ÷
    스케일을 가장 가까운 정수로, 절반이면 짝수로 반올림한 것(np.rint)이고,
    int8이에요.

    모두 0이면 스케일도 0, 정수도 0이에요. 0으로 나누면 안 돼요.

    >>> codes, scales = quantise(np.array([[1.0, 70.0], [-7.0, 35.0]]), axis=0)
    >>> codes.tolist()
    [[1, 7], [-7, 4]]
    >>> scales
    array([[ 1., 10.]])
    """
    raise NotImplementedError


def dequantise(codes, scales):
    """정수가 나타내는 수.

    >>> dequantise(np.array([[1, 7], [-7, 4]]), np.array([[1.0, 10.0]]))
    array([[ 1., 70.],
           [-7., 40.]])
    """
    raise NotImplementedError


def score_bounds(q, scales):
    """토큰마다 하나인 스케일 (토큰, 1)로 바꾼 키에서, 점수 q·k의 오차가 넘을
    수 없는 값 (토큰,).

    >>> score_bounds(np.array([1.0, -2.0]), np.array([[10.0], [0.5]]))
    array([15.  ,  0.75])
    """
    raise NotImplementedError
