"""How far apart is too far (lesson 19)

Tell results that differ by order and rounding alone from results of wrong
code. The tolerance comes from the rounding of the dtype.
"""

import numpy as np


def unit(bits):
    """u: the largest relative error of rounding once to `bits` significant
    bits.

    >>> unit(8) == 2**-8  # bfloat16
    True
    >>> unit(11) == 2**-11  # float16
    True
    """
    raise NotImplementedError


def relative_error(found, exact):
    """‖found − exact‖ / ‖exact‖; where exact is all 0, ‖found − exact‖.

    >>> relative_error(np.array([3.0, 4.0]), np.array([3.0, 5.0]))
    0.1715
    """
    raise NotImplementedError


def worst_head(found, exact):
    """The worst query and head: (error, query, head). The arrays are (n, h,
    d_k); of equal ones the first. NaN is worse than anything.

    >>> exact = np.ones((2, 2, 4))
    >>> found = exact.copy()
    >>> found[1, 0, 3] = 1.5
    >>> worst_head(found, exact)
    (0.25, 1, 0)
    """
    raise NotImplementedError


def agrees(found, exact, bits):
    """Whether the worst head's error is at most u.

    >>> ones = np.ones((1, 1, 4))
    >>> agrees(ones, 1.001 * ones, bits=8)
    True
    >>> agrees(ones, 1.01 * ones, bits=8)
    False
    """
    raise NotImplementedError
