"""Finding a prefix that is computed already (lesson 14)

Remember full blocks by what they hold, and use them again for prompts that
begin in the same way.
"""


def remember(token_ids, block_table, known, block_size):
    """Remember all full blocks of a sequence in `known`, in place.

    Its keys are tuples of all tokens from the start to the end of a block, its
    values physical blocks. A key that is there already stays as it is.

    >>> known = {}
    >>> remember([0, 1, 2, 3, 0], [4, 7, 5], known, block_size=2)
    >>> known
    {(0, 1): 4, (0, 1, 2, 3): 7}
    """
    raise NotImplementedError


def match(prompt, known, block_size):
    """Blocks that hold the longest known prefix of a prompt.

    The last token is always computed, since its logits are needed: it is never
    part of a match.

    >>> known = {(0, 1): 4, (0, 1, 2, 3): 7}
    >>> match([0, 1, 2, 3, 0], known, block_size=2)
    [4, 7]
    >>> match([0, 1, 2, 3], known, block_size=2)
    [4]
    >>> match([0, 0, 2, 3, 0], known, block_size=2)
    []
    """
    raise NotImplementedError
