"""A place in one piece (lesson 8)

Find the free runs in the memory of a contiguous cache, and the first one that
takes a request.
"""


def free_runs(taken, capacity):
    """(start, length) of each unbroken run of free slots, from the left.

    taken: (start, length) of each run in use, in any order; they do not
    overlap.
    capacity: slots of the whole memory.

    >>> free_runs([(0, 10), (16, 10), (32, 8)], 40)
    [(10, 6), (26, 6)]
    """
    raise NotImplementedError


def first_fit(taken, capacity, size):
    """Start of the first free run that has `size` slots; None where there is
    none.

    >>> first_fit([(0, 10), (16, 10), (32, 8)], 40, 6)
    10
    >>> first_fit([(0, 10), (16, 10), (32, 8)], 40, 10) is None
    True
    """
    raise NotImplementedError
