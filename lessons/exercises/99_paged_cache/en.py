"""A PagedCache of your own (lessons 9 to 12)

Put together what you have written into a whole paged KV cache. In the end it
is run in place of the course's own through the document's example. You may
copy code from the exercises before.

Layers, K/V heads and block size may be any number. A forward pass calls extend
once, and then write and attend for each layer.
"""

import copy
import math

import numpy as np

from walkthrough.document import document
from walkthrough.reference import generate


class OutOfBlocks(Exception):
    """Fewer blocks are free than are needed. Use it as it is."""


class PagedCache:
    """K and V of one sequence; its forks share the pool of blocks with it.

    >>> ex = document()
    >>> cache = PagedCache(5, block_size=2, d_k=ex.d_k, h_kv=ex.heads)
    >>> steps = generate(ex.model, ex.ids(ex.prompt), cache)
    >>> ex.texts(step.next_token for step in steps)
    ['간다', '.', '<EOS>']
    >>> cache.num_computed_tokens, cache.num_free_blocks
    (4, 2)
    >>> child = cache.fork()
    >>> child.num_computed_tokens, child.num_free_blocks
    (4, 2)
    >>> child.extend([0, 1, 2, 3, 4])
    Traceback (most recent call last):
        ...
    OutOfBlocks
    """

    def __init__(
        self,
        num_blocks,
        block_size,
        d_k,
        layers=1,
        h_kv=1,
        dtype=float,
    ):
        """Make a pool of num_blocks blocks.

        Block 0 is given to nobody. dtype is the type that K and V are stored
        in.
        """
        raise NotImplementedError

    @property
    def num_computed_tokens(self):
        """Tokens of this sequence."""
        raise NotImplementedError

    @property
    def num_free_blocks(self):
        """Blocks that could be taken now."""
        raise NotImplementedError

    def extend(self, token_ids):
        """Make room for each of the tokens.

        A last block with room that other forks use, too, is copied first
        (copy-on-write). Where blocks are missing, raise OutOfBlocks, change
        nothing.
        """
        raise NotImplementedError

    def write(self, layer, K, V):
        """Store the rows of the n tokens of the last extend in this layer.

        K, V: (n, h_kv, d_k).
        """
        raise NotImplementedError

    def attend(self, layer, Q, work=None):
        """The last n tokens attend over the sequence, each up to its own
        position.

        Q: (n, h, d_k); the result has the same shape. Query head g reads K/V
        head g // (h / h_kv). work is for counting; you need not use it.
        """
        raise NotImplementedError

    def fork(self):
        """A new cache that uses the same blocks. No block is taken."""
        raise NotImplementedError

    def free(self):
        """Empty this sequence; blocks that nobody uses go back to the pool."""
        raise NotImplementedError
