"""Copy-on-write (lesson 12)

Copy a shared block before it is written, and only then.
"""


class OutOfBlocks(Exception):
    """Fewer blocks are free than are needed. Use it as it is."""


def append_token(block_table, length, ref_cnt, free_blocks, block_size):
    """Append a token to a sequence of `length`; returns (slot, copy).

    copy is (source block, new block), or None where nothing has to be copied.
    All lists are changed in place. A new block comes from the end of
    free_blocks and has a count of 1. Where none is free, raise OutOfBlocks,
    change nothing.

    A, B and C share block 1, which holds the two tokens of their prompt.

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
