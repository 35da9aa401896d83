"""블록 테이블로 슬롯 찾기 (9번 레슨)

블록이 어디에 흩어져 있든, 블록 테이블이 있으면 나눗셈 한 번으로 토큰을 찾아요.
"""


def blocks_needed(n, block_size):
    """토큰 n개에 필요한 블록의 수. 마지막 블록은 다 차지 않아도 돼요.

    >>> blocks_needed(5, 2)
    3
    """
    raise NotImplementedError


def slot(position, block_table, block_size):
    """위치 position의 토큰이 있는 슬롯: 물리 블록 · block_size + 오프셋.

    테이블에 없는 위치면 ValueError. 파이썬의 목록에서 -1은 마지막 칸이라
    조심하세요.

    >>> slot(0, [4, 5, 1], 2)
    8
    >>> [slot(position, [4, 5, 1], 2) for position in range(5)]
    [8, 9, 10, 11, 2]
    >>> slot(-1, [4, 5, 1], 2)
    Traceback (most recent call last):
        ...
    ValueError
    """
    raise NotImplementedError


def slot_mapping(start, end, block_table, block_size):
    """위치 start부터 end 앞까지 토큰들의 슬롯 목록.

    >>> slot_mapping(2, 5, [4, 5, 1], 2)
    [10, 11, 2]
    """
    raise NotImplementedError
