"""The block table of a forked sequence (lesson 12)

Fork a sequence, and give the blocks of a finished one back. Forking copies
nothing.
"""


def fork(block_table, ref_cnt):
    """The block table of a new sequence that uses the same blocks.

    ref_cnt[b] is how many sequences use block b. It is changed in place.

    >>> ref_cnt = [0, 1, 1, 0]
    >>> child = fork([2, 1], ref_cnt)
    >>> child
    [2, 1]
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError


def free(block_table, ref_cnt, free_blocks):
    """Use each block of a sequence once less; those that nobody uses are given
    back.

    From the last block of the table on, those whose count gets 0 go to the end
    of free_blocks. Then block_table is emptied. Where a count is 0 already,
    raise ValueError, change nothing.

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
