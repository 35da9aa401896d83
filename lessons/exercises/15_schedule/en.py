"""Whose tokens come next (lesson 15)

Write a scheduler with continuous batching and chunked prefill. Blocks are
plenty.
"""


def schedule(running, waiting, budget, max_running):
    """How many tokens of whom are computed in this step: {name: tokens}.

    running, waiting: (name, tokens not fed yet), in order of arrival.
    Running requests get what they are missing, in order, as far as the budget
    goes. While budget is left and fewer than max_running requests run, waiting
    ones are let in, in order. Who gets no token is not in the result.

    >>> schedule([("A", 1)], [("B", 12)], budget=5, max_running=2)
    {'A': 1, 'B': 4}
    >>> schedule([("A", 1), ("B", 8)], [("C", 2)], budget=5, max_running=9)
    {'A': 1, 'B': 4}
    """
    raise NotImplementedError


def timetable(requests, budget, max_running=100):
    """What schedule says, step by step, until all are done: a list.

    requests: (name, tokens of the prompt, new tokens). At first all are
    waiting. The step that has fed the whole prompt gives the first new token.
    Each later step feeds the token that came last, and gives one more. The
    last one is not fed.

    >>> four = [("A", 2, 2), ("B", 2, 7), ("C", 2, 3), ("D", 2, 4)]
    >>> len(timetable(four, budget=16, max_running=2))
    9
    >>> timetable([("short", 2, 2), ("long", 8, 1)], budget=5)
    [{'short': 2, 'long': 3}, {'short': 1, 'long': 4}, {'long': 1}]
    """
    raise NotImplementedError
