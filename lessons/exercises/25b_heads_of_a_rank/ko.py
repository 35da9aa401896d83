"""랭크의 헤드 (7번, 25번 레슨)

헤드를 프로세스(랭크) 여러 개에 나누고, 저마다 계산한 것을 다시 하나로
만드세요. 블록 테이블은 모든 랭크가 같아요.
"""

import numpy as np


def kv_heads_of(rank, world, h_kv):
    """world개의 랭크 가운데 rank가 저장하는 K/V 헤드의 번호, 목록으로. 이웃한
    헤드를 똑같은 수로 나눠 가져요. 고르게 나뉘지 않으면 ValueError예요.

    >>> kv_heads_of(1, world=2, h_kv=4)
    [2, 3]
    """
    raise NotImplementedError


def query_heads_of(rank, world, h, h_kv):
    """그 K/V 헤드를 쓰는 쿼리 헤드의 번호. 쿼리 헤드 h개가 K/V 헤드 h_kv개를
    차례로 똑같은 수씩 함께 써요(7번 레슨).

    >>> query_heads_of(1, world=2, h=8, h_kv=4)
    [4, 5, 6, 7]
    >>> query_heads_of(0, world=3, h=6, h_kv=3)
    [0, 1]
    """
    raise NotImplementedError


def add_up(outputs, W_O):
    """모든 랭크의 결과를 더한 것 (n, d_model).

    outputs에는 랭크마다 자기 쿼리 헤드의 어텐션 출력 (n, 헤드, d_k)가 차례로
    있어요. W_O는 (h · d_k, d_model)이고, 헤드마다 d_k행씩이에요. 랭크는 자기
    헤드의 행과만 곱해요.

    >>> outputs = [np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0]]])]
    >>> W_O = np.array([[1.0, 0.0], [0.0, 1.0], [10.0, 0.0], [0.0, 10.0]])
    >>> add_up(outputs, W_O)
    array([[31., 42.]])
    """
    raise NotImplementedError
