"""Gaps and goodput (lesson 18)

From the times at which tokens came, find what a user waited for, and count
the requests that kept what was promised. Times are in milliseconds.
"""


def ttft(arrival, tokens):
    """From the arrival of a request to its first token. tokens: the times at
    which its tokens came.

    >>> ttft(100, [500, 540, 580, 1000])
    400
    """
    raise NotImplementedError


def gaps(tokens):
    """The times between neighbouring tokens; none where there is one token.

    >>> gaps([500, 540, 580, 1000])
    [40, 40, 420]
    """
    raise NotImplementedError


def tpot(tokens):
    """The mean time for each token after the first; 0 where there is no
    other.

    >>> tpot([500, 550, 600, 700])
    66.6667
    >>> tpot([500])
    0
    """
    raise NotImplementedError


def goodput(requests, ttft_limit, tpot_limit, seconds):
    """How many requests a second kept both limits? Exactly the limit is kept.

    requests: a list of (arrival, tokens), seconds: how long was measured.

    >>> smooth, frozen = (0, [400, 550, 700]), (0, [400, 440, 1000])
    >>> goodput([smooth, frozen], 400, 150, 2)
    0.5
    """
    raise NotImplementedError
