"""Slots ahead, and back (lesson 23)

Give guesses their slots, and take wrong ones back without freeing a block.
"""


class OutOfBlocks(Exception):
    """Fewer blocks are free than are needed. Use it as it is."""


def take_slots(block_table, length, n, free_blocks, block_size):
    """The slots of the n tokens that come behind the first `length`: a list.

    Blocks that the table has already are used first; the missing ones are
    taken from the end of free_blocks and put into the table. Where too few
    are free, raise OutOfBlocks, change nothing.

    Six tokens; the one sampled last and three guesses come. Then two of the
    guesses were wrong, and three tokens come behind the first eight.

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
    """How many tokens count after a run, and which blocks may be cached now.

    `fed` tokens had slots behind the first `length`; the last `wrong` of them
    were wrong guesses. The first `cached` blocks are cached already. Only
    blocks full of verified tokens may be. The table stays as it is.

    >>> after_run([1, 2, 3], 6, 4, 2, cached=1, block_size=4)
    (8, [2])
    >>> after_run([1, 2, 3], 6, 4, 3, cached=1, block_size=4)
    (7, [])
    """
    raise NotImplementedError
