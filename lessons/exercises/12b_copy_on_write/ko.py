"""쓰기 시 복사 (12번 레슨)

함께 쓰는 블록에 쓰기 전에 그 블록을 복사하세요. 꼭 필요할 때만요.
"""


class OutOfBlocks(Exception):
    """빈 블록이 모자라요. 그대로 쓰세요."""


def append_token(block_table, length, ref_cnt, free_blocks, block_size):
    """토큰 length개가 있는 시퀀스에 하나를 붙이고 (슬롯, 복사)를 돌려줘요.

    복사는 (원본 블록, 새 블록), 복사할 것이 없으면 None이에요.
    목록은 모두 바로 고쳐요. 새 블록은 free_blocks의 끝에서 가져오고 참조
    횟수는 1이에요. 빈 블록이 없으면 OutOfBlocks를 내고 아무것도 바꾸지 않아요.

    A, B, C가 블록 1을 함께 쓰고, 거기에 프롬프트 토큰 두 개가 있어요.

    >>> A, B, C = [1], [1], [1]
    >>> ref_cnt, free = [0, 3, 0, 0], [3, 2]
    >>> append_token(A, 2, ref_cnt, free, block_size=4)
    (10, (1, 2))
    >>> append_token(B, 2, ref_cnt, free, block_size=4)
    (14, (1, 3))
    >>> append_token(C, 2, ref_cnt, free, block_size=4)
    (6, None)
    >>> ref_cnt
    [0, 1, 1, 1]
    """
    raise NotImplementedError
