"""Finding a wrong row with a needle (lesson 19)

There is code of which nobody knows what rows its attention reads. Plant a
key in each place that can be told apart (a needle), ask with a query that
sees one place alone, and find the places that are read wrongly.
"""

import numpy as np


def needles(n):
    """(K, V) to be planted, (n, n) each.

    A key is 1 in its own place and 0 elsewhere. A value is the number of its
    place, in each of its numbers.

    >>> K, V = needles(2)
    >>> K
    array([[1., 0.], [0., 1.]])
    >>> V
    array([[0., 0.], [1., 1.]])
    """
    raise NotImplementedError


def query_for(position, n):
    """A query (n,) that sees one place alone: its scaled score is 100, all
    others are 0.

    >>> query_for(1, 4)
    array([  0., 200.,   0.,   0.])
    """
    raise NotImplementedError


def wrong_rows(attend, n):
    """The places that are read wrongly: {place: the row read instead}.

    attend(q) gives the output (n,) over the planted needles. None where the
    output is not that of any row. Up to 0.01 counts as equal.

    >>> rows = [0, 2, 1]  # a table with two blocks exchanged
    >>> def attend(q):
    ...     return np.full(3, float(rows[np.argmax(q)]))
    >>> wrong_rows(attend, 3)
    {1: 2, 2: 1}
    """
    raise NotImplementedError
