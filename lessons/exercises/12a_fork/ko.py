"""갈래를 만든 시퀀스의 블록 테이블 (12번 레슨)

시퀀스를 갈래로 나누고, 끝난 시퀀스의 블록을 돌려주세요. 갈래를 만들 때는
아무것도 복사하지 않아요.
"""


def fork(block_table, ref_cnt):
    """같은 블록을 쓰는 새 시퀀스의 블록 테이블.

    ref_cnt[b]는 블록 b를 쓰는 시퀀스의 수예요. 바로 고쳐요.

    >>> ref_cnt = [0, 1, 1, 0]
    >>> child = fork([2, 1], ref_cnt)
    >>> child
    [2, 1]
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError


def free(block_table, ref_cnt, free_blocks):
    """시퀀스의 블록을 모두 한 번씩 덜 쓰게 하고, 아무도 쓰지 않는 블록을
    돌려줘요.

    테이블의 마지막 블록부터, 참조 횟수가 0이 된 것을 free_blocks의 끝에
    붙여요. 그리고 block_table을 비워요. 이미 0인 블록이 있으면 아무것도 바꾸지
    않고 ValueError를 내요.

    >>> ref_cnt, free_blocks = [0, 2, 1, 0], [3]
    >>> table = [1, 2]
    >>> free(table, ref_cnt, free_blocks)
    >>> ref_cnt
    [0, 1, 0, 0]
    >>> free_blocks
    [3, 2]
    >>> table
    []
    """
    raise NotImplementedError
