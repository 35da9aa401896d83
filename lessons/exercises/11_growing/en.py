"""Growing, block by block (lesson 11)

Append tokens; take a block from the pool only when one is needed.
"""


class OutOfBlocks(Exception):
    """Fewer blocks are free than are needed. Use it as it is."""


def append(block_table, length, n, free_blocks, block_size):
    """Append n tokens to a sequence of `length`; returns the slots of these n.

    block_table and free_blocks are lists, changed in place. Free blocks are
    taken from the end of free_blocks (pop). Where there are too few, raise
    OutOfBlocks and change nothing.

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
