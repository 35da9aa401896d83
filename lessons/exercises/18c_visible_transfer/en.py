"""Sending layer by layer (lesson 18)

One machine prefills and sends K and V to the one that decodes. If each
layer is sent as soon as it is computed, how long is there left to wait once
the prefill is done?
"""


def send_times(layers, compute, send):
    """For each layer (when sending begins, when it is sent). The link sends
    one at a time.

    Layer i is computed at (i + 1) · compute, and takes `send` to send.

    >>> send_times(3, 4, 1)
    [(4, 5), (8, 9), (12, 13)]
    >>> send_times(3, 1, 4)
    [(1, 5), (5, 9), (9, 13)]
    """
    raise NotImplementedError


def visible(layers, compute, send):
    """The time from the end of the prefill until all is sent.

    >>> visible(3, 4, 1)
    1
    >>> visible(3, 1, 4)
    10
    """
    raise NotImplementedError


def visible_at_once(layers, compute, send):
    """The same where all is computed first and sent after.

    >>> visible_at_once(3, 4, 1)
    3
    """
    raise NotImplementedError
