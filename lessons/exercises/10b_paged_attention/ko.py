"""블록 테이블을 따라가는 어텐션 (10번 레슨)

K와 V가 블록에 흩어져 있는 채로, 쿼리 하나의 어텐션을 계산하세요.
"""

import math

import numpy as np


def paged_attention(q, K, V, block_table, seq_len):
    """쿼리 하나가 시퀀스의 토큰 seq_len개를 모두 봐요.

    q: (d_k,). K, V: 블록 풀 전체 (blocks, block_size, d_k). 결과: (d_k,).
    테이블의 앞쪽만 쓰여 있을 수 있어요. 그 뒤의 칸에는 아무 숫자나 있어요.
    아직 쓰지 않은 슬롯에는 nan이 있어요.

    >>> nan = np.nan
    >>> K = np.array([[[nan, nan], [nan, nan]],
    ...               [[2.0, 1.0], [nan, nan]],
    ...               [[0.0, 2.0], [1.0, 1.0]]])
    >>> V = np.array([[[nan, nan], [nan, nan]],
    ...               [[2.0, 2.0], [nan, nan]],
    ...               [[1.0, 2.0], [1.0, 1.0]]])
    >>> paged_attention(np.array([1.0, 2.0]), K, V, [2, 1], 3)
    array([1.4011, 1.8022])
    """
    raise NotImplementedError
