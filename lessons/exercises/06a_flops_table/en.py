"""The text's table of FLOPs (lesson 6)

Compute a line of the table in section 7 of the text. One multiplication is a
FLOP, one addition is another.
"""


def flops_row(n, d):
    """Q·Kᵀ of one last step alone: without a cache, with one, and percent
    saved.

    Without a cache there are n queries, with one a single one; always n keys,
    of d numbers each.

    >>> flops_row(10, 64)
    (12800, 1280, 90.0)
    >>> flops_row(1000, 64)
    (128000000, 128000, 99.9)
    """
    raise NotImplementedError
