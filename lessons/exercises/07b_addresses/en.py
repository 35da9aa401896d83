"""Where a row lies in memory (lesson 7)

A cache lies in one line, in the order (layer, slot, K/V head, d_k). Find
rows by multiplying, without a search. An address is in bytes from the start
of the cache.
"""


def strides(slots, h_kv, d_k, size):
    """Bytes to the next layer, the next slot, the next head, the next number.
    size: bytes of a number.

    >>> strides(slots=4, h_kv=2, d_k=3, size=8)
    (192, 48, 24, 8)
    """
    raise NotImplementedError


def address(layer, slot, head, slots, h_kv, d_k, size):
    """The first byte of a row (a layer, slot and head). ValueError where
    there is none.

    >>> address(0, 1, 0, slots=4, h_kv=2, d_k=3, size=8)
    48
    >>> address(1, 2, 1, slots=4, h_kv=2, d_k=3, size=8)
    312
    >>> address(0, 4, 0, slots=4, h_kv=2, d_k=3, size=8)
    Traceback (most recent call last):
        ...
    ValueError
    """
    raise NotImplementedError


def pieces(n, h_kv, d_k, size, heads_first):
    """To read n neighbouring tokens of one head: (pieces that lie apart,
    bytes of each).

    heads_first: the order is (layer, head, slot, d_k) instead.

    >>> pieces(16, 8, 128, 2, heads_first=False)
    (16, 256)
    >>> pieces(16, 8, 128, 2, heads_first=True)
    (1, 4096)
    """
    raise NotImplementedError
