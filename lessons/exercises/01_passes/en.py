"""Counting passes (lesson 1)

Calling the model once is one forward pass, and it gives one token. Count
what is fed, pass by pass, until a generation ends.
"""


def fed_without_cache(prompt, new):
    """Tokens that are fed in each pass without a cache.

    prompt: tokens of the prompt, new: tokens to be made. The last new one is
    not fed again.

    >>> fed_without_cache(2, 3)
    [2, 3, 4]
    """
    raise NotImplementedError


def fed_with_cache(prompt, new):
    """The same with a cache.

    >>> fed_with_cache(2, 3)
    [2, 1, 1]
    """
    raise NotImplementedError


def phase(index):
    """The phase of the pass with this index, counted from 0: "prefill" or
    "decode".

    >>> [phase(index) for index in range(3)]
    ['prefill', 'decode', 'decode']
    """
    raise NotImplementedError


def times_more(prompt, new):
    """How many times as many tokens are fed where there is no cache?

    >>> times_more(2, 3)
    2.25
    """
    raise NotImplementedError
