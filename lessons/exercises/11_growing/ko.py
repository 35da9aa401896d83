"""블록을 가져오며 자라기 (11번 레슨)

토큰을 붙이세요. 블록은 꼭 필요할 때만 풀에서 가져와요.
"""


class OutOfBlocks(Exception):
    """빈 블록이 모자라요. 그대로 쓰세요."""


def append(block_table, length, n, free_blocks, block_size):
    """토큰 length개가 있는 시퀀스에 n개를 더 붙이고, 그 n개의 슬롯 목록을
    돌려줘요.

    block_table과 free_blocks는 목록이고, 바로 고쳐요. 빈 블록은 free_blocks의
    끝에서 가져와요(pop). 모자라면 OutOfBlocks를 내고 아무것도 바꾸지 않아요.

    >>> table, free = [], [3, 2, 1]
    >>> append(table, 0, 2, free, block_size=2)
    [2, 3]
    >>> append(table, 2, 1, free, block_size=2)
    [4]
    >>> append(table, 3, 1, free, block_size=2)
    [5]
    >>> table
    [1, 2]
    >>> append(table, 4, 3, free, block_size=2)
    Traceback (most recent call last):
        ...
    OutOfBlocks
    >>> free
    [3]
    """
    raise NotImplementedError
