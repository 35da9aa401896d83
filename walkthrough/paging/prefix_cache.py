"""Which block holds which content: full blocks, found again by the whole chain before them.

A block's identity is SHA-256 of the identity of the block before it and of its own tokens, as in
vLLM and in lesson 14. Equal identities are taken for equal contents without a look at the tokens:
no two messages with the same SHA-256 are known, and to find some would take about 2^128 trials.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from walkthrough.paging.block_pool import BlockHash, BlockPool


def chain_start(
    extra: Mapping[str, str] | None = None, window: int | tuple[int, int] | None = None
) -> BlockHash:
    """What a chain begins with, in place of a block before the first.

    Requests that differ in what comes with them besides tokens (a salt, an adapter's name), or
    in the window they are seen through (with its sinks), share no block. Each value stands with
    its field's name.
    """
    fields = sorted((extra or {}).items()), window
    return sha256(repr(fields).encode()).digest()


NONE_HASH = chain_start()


class PrefixCache:
    """Finds the blocks of a pool by content; each holds `block_size` tokens."""

    def __init__(self, pool: BlockPool, block_size: int) -> None:
        self.pool, self.block_size = pool, block_size
        self._pack = struct.Struct(f"{block_size}q").pack  # 64 bits a token

    def match(self, token_ids: Sequence[int], start: BlockHash = NONE_HASH) -> list[int]:
        """Blocks that hold the longest known prefix of these tokens. Nothing is touched.

        The last token is never part of it: someone has to compute the logits after it.
        """
        cached, blocks = self.pool.cached_blocks, []
        for block_hash in self._chain(token_ids, 0, len(token_ids) - 1, start):
            if block_hash not in cached:
                break
            blocks.append(cached[block_hash][0])
        return blocks

    def identities(self, token_ids: Sequence[int], start: BlockHash = NONE_HASH) -> list[BlockHash]:
        """Of all blocks that `match` could find: full ones, without the last token."""
        return list(self._chain(token_ids, 0, len(token_ids) - 1, start))

    def cache_full_blocks(
        self,
        token_ids: Sequence[int],
        block_table: Sequence[int],
        block_hashes: list[BlockHash],
        start: BlockHash = NONE_HASH,
    ) -> None:
        """Hash the blocks that became full, and have the pool remember them.

        `block_hashes` has the chain up to them, and is continued in place.
        """
        first, before = len(block_hashes), block_hashes[-1] if block_hashes else start
        block_hashes += self._chain(token_ids, first, len(token_ids), before)
        self.pool.cache_blocks(block_table[first:], block_hashes[first:])

    def _chain(
        self, token_ids: Sequence[int], first: int, end: int, block_hash: BlockHash
    ) -> Iterator[BlockHash]:
        """Identities of the blocks `first`, … that are full with the tokens before `end`."""
        size, pack = self.block_size, self._pack
        for last in range((first + 1) * size, end + 1, size):
            try:
                message = block_hash + pack(*token_ids[last - size : last])
            except struct.error:  # an id of more than 64 bits; no hash begins as this text
                message = repr((block_hash, *token_ids[last - size : last])).encode()
            block_hash = sha256(message).digest()
            yield block_hash

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        if used := self.pool.num_used_blocks:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self.pool.evict_all()
