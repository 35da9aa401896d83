"""Block tables along a beam step (lesson 13)

A surviving beam takes over its parent's block table. Fork all survivors
first, then free the old beams. No K or V is copied.
"""


def fork(table, ref_cnt):
    """A new table with the same blocks. ref_cnt, a list with the reference
    count of each block, is brought up to date in place.

    >>> ref_cnt = [0, 1, 1, 0]
    >>> fork([1, 2], ref_cnt)
    [1, 2]
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError


def free(table, ref_cnt):
    """Free a table; gives the blocks that nobody uses any more, the last of
    the table first.

    >>> ref_cnt = [0, 2, 1, 1]
    >>> free([1, 2, 3], ref_cnt)
    [3, 2]
    >>> ref_cnt
    [0, 1, 0, 0]
    """
    raise NotImplementedError


def next_tables(tables, parents, ref_cnt):
    """(tables of the new beams, blocks that nobody uses any more).

    parents: for each new beam the number of its parent. A beam may occur
    several times, or never.

    >>> ref_cnt = [0, 2, 1, 1]
    >>> next_tables([[1, 2], [1, 3]], [0, 0], ref_cnt)
    ([[1, 2], [1, 2]], [3])
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError
