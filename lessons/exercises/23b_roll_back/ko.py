"""미리 주는 슬롯, 되돌리기 (23번 레슨)

짐작에 슬롯을 주고, 틀린 짐작은 블록을 돌려주지 않고 되돌리세요.
"""


class OutOfBlocks(Exception):
    """빈 블록이 모자라요. 그대로 쓰세요."""


def take_slots(block_table, length, n, free_blocks, block_size):
    """처음 length개 다음에 올 토큰 n개의 슬롯 목록.

    테이블에 이미 있는 블록을 먼저 써요. 모자라는 블록은 free_blocks의 끝에서
    가져와 테이블에 넣어요. 빈 블록이 모자라면 OutOfBlocks를 내고 아무것도
    바꾸지 않아요.

    토큰 여섯 개 다음에, 마지막에 뽑은 토큰과 짐작 세 개가 와요. 그 가운데
    짐작 두 개가 틀렸고, 이제 처음 여덟 개 다음에 토큰 세 개가 와요.

    >>> table, free = [1, 2], [4, 3]
    >>> take_slots(table, 6, 4, free, block_size=4)
    [10, 11, 12, 13]
    >>> table, free
    ([1, 2, 3], [4])
    >>> take_slots(table, 8, 3, free, block_size=4)
    [12, 13, 14]
    >>> table, free
    ([1, 2, 3], [4])
    """
    raise NotImplementedError


def after_run(block_table, length, fed, wrong, cached, block_size):
    """실행 뒤에 남는 토큰 수와, 이제 캐시에 넣어도 되는 블록들.

    처음 length개 다음에 토큰 fed개가 슬롯을 받았고, 그 가운데 마지막
    wrong개는 틀린 짐작이었어요. 처음 cached개 블록은 이미 캐시에 있어요.
    확인한 토큰으로 꽉 찬 블록만 넣을 수 있어요. 테이블은 그대로 둬요.

    >>> after_run([1, 2, 3], 6, 4, 2, cached=1, block_size=4)
    (8, [2])
    >>> after_run([1, 2, 3], 6, 4, 3, cached=1, block_size=4)
    (7, [])
    """
    raise NotImplementedError
