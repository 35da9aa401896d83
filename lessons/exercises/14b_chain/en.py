"""Hash chain and eviction order (lesson 14)

Identify what blocks hold by a chain of hashes, and decide which block is
handed out first when blocks run short.
"""

from hashlib import sha256


def block_hashes(token_ids, block_size, before):
    """The hash (bytes) of each full block.

    SHA-256 of the hash before and 8 bytes for each token, the low ones first.
    `before` stands before the first block. A token as bytes:
    token.to_bytes(8, "little").

    >>> hashes = block_hashes([0, 1, 2, 3, 4], 2, before=bytes(32))
    >>> [value.hex()[:8] for value in hashes]
    ['47ebc1df', 'f31e655c']
    """
    raise NotImplementedError


def hit(prompt, known, block_size, before):
    """How many tokens can be used again. known: hashes that are remembered.

    Where the chain breaks, it ends. The last token is always computed again
    and is no part of a hit.

    >>> known = set(block_hashes([0, 1, 2, 3], 2, before=b""))
    >>> hit([0, 1, 2, 3, 4], known, 2, before=b"")
    4
    >>> hit([0, 1, 2, 3], known, 2, before=b"")
    2
    """
    raise NotImplementedError


def hand_out(free, has_content):
    """The free blocks in the order in which they are handed out.

    free: blocks in the order they came back, has_content: the set of those
    whose content is remembered. First go the blocks without, the last to come
    back first; then those with content, the first to come back first.

    >>> hand_out([5, 2, 7, 3], has_content={2, 3})
    [7, 5, 2, 3]
    """
    raise NotImplementedError
