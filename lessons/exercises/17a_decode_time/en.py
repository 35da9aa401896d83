"""The time of a decode step (lesson 17)

Find how long a decode step takes at the least, and from which batch on it
is bound by arithmetic. The weights are read once for all requests, K/V for
each.
"""


def decode_time(batch, context, parameters, kv_bytes, machine):
    """The least seconds of a step: the time to compute or the time to read,
    whichever is longer.

    batch: requests, context: tokens that each reads, parameters: weights of 2
    bytes each, kv_bytes: bytes of K and V of one token, machine: (FLOP a
    second, bytes a second).

    A weight takes 2 FLOPs for each request; those of attention are few and
    not counted.

    >>> decode_time(1, 0, 1000, 10, (4000, 1000))
    2.0
    >>> decode_time(4, 100, 1000, 10, (4000, 1000))
    6.0
    >>> decode_time(32, 0, 1000, 10, (4000, 1000))
    16.0
    """
    raise NotImplementedError


def first_compute_bound_batch(machine):
    """With the weights alone, K/V left out: the smallest batch whose
    computing takes no less time than its reading.

    >>> first_compute_bound_batch((4000, 1000))
    4
    >>> first_compute_bound_batch((312e12, 2039e9))  # an A100
    154
    """
    raise NotImplementedError
