"""블록을 하나씩만 들고 (10번 레슨)

블록을 모아서 복사하지 않고, 하나씩 읽으면서 m, l, o를 고쳐 나가세요.
read가 주는 배열은 다음 블록을 읽을 때 덮어써요. GPU의 커널도 이렇게 좁은
자리에서 계산해요.
"""

import numpy as np


def update(m, l, o, scores, V):
    """블록 하나를 읽은 뒤의 (m, l, o).

    scores: 이 블록의 스케일한 점수 (k,), V: 값 (k, d_k). 처음에는 m = -∞, l =
    0, o = 0이에요.

    >>> update(-np.inf, 0.0, np.zeros(2), np.array([1.0, 1.0]), np.eye(2))
    (1.0, 2.0, array([1., 1.]))
    >>> update(1.0, 2.0, np.ones(2), np.array([2.0]), np.ones((1, 2)))
    (2.0, 1.7358, array([1.3679, 1.3679]))
    """
    raise NotImplementedError


def attend(q, read, block_table, seq_len, block_size):
    """쿼리 하나 q (d_k,)의 어텐션 출력 (d_k,).

    read(b): 물리 블록 b의 (K, V), 저마다 (block_size, d_k). 블록마다 한 번만
    부르세요. 마지막 블록의 쓰지 않은 슬롯에는 무엇이든 들어 있을 수 있어요.

    >>> K = {3: np.array([[0.0, 2.0], [1.0, 1.0]]),
    ...      1: np.array([[2.0, 1.0], [9.0, 9.0]])}
    >>> V = {3: np.array([[1.0, 2.0], [1.0, 1.0]]),
    ...      1: np.array([[2.0, 2.0], [9.0, 9.0]])}
    >>> q = np.array([1.0, 2.0])
    >>> attend(q, lambda b: (K[b], V[b]), [3, 1], seq_len=3, block_size=2)
    array([1.4011, 1.8022])
    """
    raise NotImplementedError
