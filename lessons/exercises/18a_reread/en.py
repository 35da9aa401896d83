"""Tokens that chunks read again (lesson 18)

Cut into chunks, a prompt's later chunks read the K and V of the earlier
ones again. Count how much.
"""


def chunk_starts(n, chunk):
    """Where each chunk begins when n tokens are cut into pieces of `chunk`;
    the last one may be shorter.

    >>> chunk_starts(8, 2)
    [0, 2, 4, 6]
    >>> chunk_starts(5, 2)
    [0, 2, 4]
    """
    raise NotImplementedError


def reread(n, chunk):
    """Over all chunks, the tokens whose K and V an earlier chunk made and
    this one reads again.

    >>> reread(8, 2)
    12
    >>> reread(8, 8)
    0
    >>> reread(8192, 512)
    61440
    """
    raise NotImplementedError


def weight_reads(n, chunk):
    """How often all weights are read for one prompt.

    >>> weight_reads(8, 2)
    4
    >>> weight_reads(5, 2)
    3
    """
    raise NotImplementedError
