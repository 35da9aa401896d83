"""Preemption: whom, and what again (lesson 15)

When blocks run short, decide who is stopped, and what has to be done when
they start again. There are two ways: compute from the start (recompute), or
move the blocks away and back (swap).
"""


def victims(running, free, needed):
    """The names of the requests to stop until `needed` blocks are free, in
    the order in which they are stopped.

    running: (name, blocks it holds) in order of arrival, free: blocks free
    now. The last to come is stopped first; the very first is never stopped.
    ValueError where that is not enough.

    >>> running = [("first", 3), ("second", 2), ("third", 1)]
    >>> victims(running, free=0, needed=1)
    ['third']
    >>> victims(running, free=0, needed=2)
    ['third', 'second']
    >>> victims(running, free=1, needed=1)
    []
    >>> victims(running, free=0, needed=4)
    Traceback (most recent call last):
        ...
    ValueError
    """
    raise NotImplementedError


def fed_again(prompt, output, way):
    """The tokens that are fed at once when a request starts again.

    prompt, output: the prompt, and the tokens made so far (one at least).
    way: "recompute" or "swap".

    >>> fed_again([0, 1], [2, 3, 4], "recompute")
    [0, 1, 2, 3, 4]
    >>> fed_again([0, 1], [2, 3, 4], "swap")
    [4]
    """
    raise NotImplementedError


def price(prompt, output, way, block_size):
    """What stopping and starting again costs: (tokens computed again, blocks
    moved).

    The last token had to be computed anyway and does not count. A swap moves
    each block twice, out and in. The last token has no K and V yet.

    >>> price([0, 1], [2, 3, 4], "recompute", block_size=2)
    (4, 0)
    >>> price([0, 1], [2, 3, 4], "swap", block_size=2)
    (0, 4)
    """
    raise NotImplementedError
