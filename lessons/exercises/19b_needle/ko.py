"""바늘로 잘못된 행 찾기 (19번 레슨)

어텐션이 어느 행을 읽는지 알 수 없는 코드가 있어요. 자리마다 알아볼 수 있는
키(바늘)를 심고, 한 자리만 보는 쿼리를 던져서 잘못 읽는 자리를 찾으세요.
"""

import numpy as np


def needles(n):
    """자리마다 심을 (K, V): 저마다 (n, n).

    키는 자기 자리만 1이고 나머지는 0이에요. 값은 그 행의 모든 숫자가 자리
    번호예요.

    >>> K, V = needles(2)
    >>> K
    array([[1., 0.], [0., 1.]])
    >>> V
    array([[0., 0.], [1., 1.]])
    """
    raise NotImplementedError


def query_for(position, n):
    """한 자리만 보는 쿼리 (n,). 그 자리의 스케일한 점수가 100, 나머지는
    0이에요.

    >>> query_for(1, 4)
    array([  0., 200.,   0.,   0.])
    """
    raise NotImplementedError


def wrong_rows(attend, n):
    """잘못 읽는 자리들: {자리: 대신 읽은 행}.

    attend(q)는 심어 놓은 바늘 위에서 출력 (n,)을 줘요. 어느 한 행도 아닌
    출력이면 None이에요. 0.01까지는 같은 것으로 쳐요.

    >>> rows = [0, 2, 1]  # a table with two blocks exchanged
    >>> def attend(q):
    ...     return np.full(3, float(rows[np.argmax(q)]))
    >>> wrong_rows(attend, 3)
    {1: 2, 2: 1}
    """
    raise NotImplementedError
