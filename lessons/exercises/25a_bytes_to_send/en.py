"""Bytes to send (lesson 25)

A prompt that has been prefilled goes to another pool. Send only the blocks
that the receiver lacks, and send them whole.
"""


def known_blocks(prompt, held, size):
    """How many of the prompt's first blocks the receiver has.

    held are the sequences that its blocks hold, each a list of tokens. Only
    blocks that are full, with size tokens, count. For a block to be the same,
    all tokens before it must be the same, too. The receiver only decodes, so
    it may know the block with the prompt's last token as well.

    >>> known_blocks([1, 2, 3, 4, 5], [[1, 2, 3, 4, 9]], size=2)
    2
    >>> known_blocks([1, 2, 3, 4], [[7, 2, 3, 4], [1, 2, 3]], size=2)
    1
    """
    raise NotImplementedError


def pairs(here, there, known):
    """The pairs (block here, block there) to send, in the prompt's order.
    here and there are the block tables of the two sides.

    >>> pairs([1, 2, 3], [4, 8, 5], known=1)
    [(2, 8), (3, 5)]
    """
    raise NotImplementedError


def bytes_to_send(n, known, size, layers, h_kv, d_k, itemsize):
    """Bytes of a prompt of n tokens, but for its first known blocks. K and V
    of all layers go, in whole blocks. A number takes itemsize bytes.

    >>> bytes_to_send(5, 2, size=2, layers=3, h_kv=2, d_k=4, itemsize=2)
    192
    >>> bytes_to_send(2048, 0, 16, 32, 8, 128, 2) == 2048 * 131072
    True
    """
    raise NotImplementedError
