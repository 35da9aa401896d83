"""From embedding to query, key and value (lesson 2)

The embedding of a token times a matrix of weights gives its query, key or
value. Write that product: delete `raise NotImplementedError` and put your code
in its place. Numbers in the examples are rounded to four decimals; they are
compared with a tolerance.
"""

import numpy as np

from walkthrough.document import document


def project(X, W):
    """Rows of X, projected by W.

    X: (n, d_model), W: (d_model, d_k). Result: (n, d_k).
    Entry i, j: row i of X times column j of W, place by place, added up.

    >>> ex = document()
    >>> X = ex.embed(["나는", "학교에", "간다"])
    >>> project(X, ex.W_Q[0])
    array([[2., 0.],
           [1., 1.],
           [1., 2.]])
    >>> project(X, ex.W_K[0])
    array([[0., 2.],
           [1., 1.],
           [2., 1.]])
    """
    raise NotImplementedError
