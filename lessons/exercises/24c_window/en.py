"""Blocks of a window (lesson 24)

Give blocks back that a sliding window has passed, and count those that are
still needed.
"""


def slide(block_table, m, window, block_size, free_blocks):
    """After m tokens are computed, give back the blocks that the next token
    will not look into. Where there are none, change nothing.

    The next token sees `window` positions up to its own, so window - 1 of
    those before it. A block that lies wholly before these goes to the end of
    free_blocks, and None takes its place in the table. What is None already
    stays. The first block goes first.

    >>> table, free = [5, 2, 7], [1]
    >>> slide(table, 5, window=4, block_size=2, free_blocks=free)
    >>> table, free
    ([None, 2, 7], [1, 5])
    >>> slide(table, 6, window=4, block_size=2, free_blocks=free)
    >>> table, free
    ([None, 2, 7], [1, 5])
    """
    raise NotImplementedError


def blocks_held(m, window, block_size, sinks=0):
    """How many blocks are needed after m tokens. Everybody sees the first
    `sinks` tokens, too.

    >>> blocks_held(5, window=4, block_size=2)
    2
    >>> blocks_held(9, window=4, block_size=2, sinks=1)
    3
    >>> blocks_held(32768, window=1024, block_size=16)
    64
    """
    raise NotImplementedError
