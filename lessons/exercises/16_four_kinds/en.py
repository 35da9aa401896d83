"""Where the slots go (lesson 16)

Count what reserved pieces and blocks are used for. Three kinds are counted;
what is left of the memory is the fourth.
"""


def reserved_size(policy, prompt, output, longest):
    """How many slots are reserved for a request.

    prompt, output: tokens of the prompt, new tokens. The last new one takes no
    slot.
    policy: "longest" reserves `longest`, "power of two" the prompt and the
    output rounded up to a power of two, "oracle" just what will be written.

    >>> reserved_size("longest", 2, 3, 16)
    16
    >>> reserved_size("power of two", 2, 3, 16)
    6
    >>> reserved_size("oracle", 2, 3, 16)
    4
    """
    raise NotImplementedError


def reserved_kinds(written, stored, size):
    """Of `size` reserved slots: (with a token, to be written, never to be
    written).

    written: tokens so far, stored: tokens that this request will write in all.

    >>> reserved_kinds(2, 4, 16)
    (2, 2, 12)
    """
    raise NotImplementedError


def paged_kinds(written, block_size):
    """The same three where blocks are handed out as they are needed.

    >>> paged_kinds(5, 2)
    (5, 0, 1)
    """
    raise NotImplementedError
