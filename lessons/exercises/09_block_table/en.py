"""Slots by block table (lesson 9)

Wherever the blocks are, with a block table one division finds any token.
"""


def blocks_needed(n, block_size):
    """Blocks that n tokens take. The last one need not be full.

    >>> blocks_needed(5, 2)
    3
    """
    raise NotImplementedError


def slot(position, block_table, block_size):
    """The slot of the token at a position: physical block · block_size +
    offset.

    ValueError where the table has no such position. Mind that -1 is the last
    entry of a Python list.

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
    """Slots of the tokens from position start up to, not including, end.

    >>> slot_mapping(2, 5, [4, 5, 1], 2)
    [10, 11, 2]
    """
    raise NotImplementedError
