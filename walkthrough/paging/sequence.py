"""A sequence of tokens and its block table: where the K and V of each token lie.

Position p lies in block `block_table[p // block_size]`, at offset p % block_size.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import Self

from walkthrough.paging.block_pool import NULL_BLOCK, BlockHash, BlockPool
from walkthrough.paging.events import announce
from walkthrough.paging.prefix_cache import NONE_HASH, PrefixCache, chain_start

Copy = tuple[int, int]  # (source block, destination block)


class Sequence:
    """Tokens in blocks of one pool, several of which may be shared with other sequences."""

    window: int | None = None  # how far a token sees, where `window.WindowedSequence` bounds it
    sinks = 0  # first tokens that every token sees for all that
    num_given_back = 0  # blocks that it gave back behind its window: null blocks in the table
    blocks_ahead: SequenceOf[int] = ()  # behind its table, where `speculative` keeps some

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        prefix_cache: PrefixCache | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        if block_size < 1:
            raise ValueError(f"block_size must be at least 1, got {block_size}")
        if prefix_cache is not None and prefix_cache.pool is not pool:
            raise ValueError("the prefix cache is another pool's")
        if prefix_cache is not None and prefix_cache.block_size != block_size:
            raise ValueError(
                f"the prefix cache has blocks of {prefix_cache.block_size}, not {block_size}"
            )
        self.pool, self.block_size, self.prefix_cache = pool, block_size, prefix_cache
        self.chain_start = chain_start(extra) if extra else NONE_HASH
        self.token_ids: list[int] = []
        self.block_table: list[int] = []
        self.block_hashes: list[BlockHash] = []  # of its full blocks, if there is a prefix cache
        announce(self)

    def __len__(self) -> int:
        """Tokens that have a slot."""
        return len(self.token_ids)

    @property
    def held(self) -> list[int]:
        """The blocks of its table, without those that were given back."""
        return [block for block in self.block_table if block != NULL_BLOCK]

    def reuse_prefix(self, prompt: SequenceOf[int]) -> int:
        """Start with the blocks that already hold the beginning of this prompt.

        Returns how many tokens need not be computed. Raises `OutOfBlocksError`, with every
        count as it was, where the rest of the prompt would not fit.
        """
        if self.token_ids:
            raise ValueError(f"the sequence has {len(self)} tokens already")
        table, hashes = self._known_blocks(prompt) if self.prefix_cache is not None else ([], [])
        blocks = [block for block in table if block != NULL_BLOCK]
        not_in_use = [self.pool.ref_cnt[block] for block in blocks].count(0)
        self.pool.check_free(-(-len(prompt) // self.block_size) - len(table) + not_in_use)
        if table:
            self.pool.touch(blocks)
            self.block_table, self.block_hashes = table, hashes
            self.token_ids = list(prompt[: len(table) * self.block_size])
        return len(self)

    def _known_blocks(self, prompt: SequenceOf[int]) -> tuple[list[int], list[BlockHash]]:
        assert self.prefix_cache is not None
        blocks = self.prefix_cache.match(prompt, self.chain_start)
        return blocks, [h for block in blocks if (h := self.pool.block_hash[block])]

    def append(self, token_ids: SequenceOf[int]) -> list[Copy]:
        """Give each token the next slot; returns the copies to make before slots are written.

        A shared, partly filled last block is replaced by a copy (copy-on-write). Raises
        `OutOfBlocksError`, with nothing changed, where blocks are missing.
        """
        size, table, pool = self.block_size, self.block_table, self.pool
        start = len(self.token_ids)
        end = start + len(token_ids)
        if start == end:
            return []
        copies: list[Copy] = []
        shared = start % size > 0 and pool.ref_cnt[table[-1]] > 1
        new = self._new_blocks(-(-end // size) - len(table) + shared)
        if shared:
            source, table[-1] = table[-1], new.pop(0)
            pool.free_blocks([source])
            pool.tell("copied", [table[-1]], source)
            copies.append((source, table[-1]))
        elif start % size:
            pool.evict([table[-1]])  # it was full before `truncate`, and is written again
        table += new
        self.token_ids += token_ids
        if pool.listeners:
            self._tell_written(start, end)
        if self.prefix_cache is not None and start // size < end // size:
            self._cache_full_blocks()
        return copies

    def append_token(self, token: int) -> SequenceOf[Copy]:
        """The same for one token, as a decode step does it: most often into a block begun."""
        token_ids, pool, begun = self.token_ids, self.pool, len(self.token_ids) % self.block_size
        if not begun or pool.listeners or pool.ref_cnt[self.block_table[-1]] > 1:
            return self.append((token,))
        token_ids.append(token)
        if self.prefix_cache is not None:
            if pool.block_hash[block := self.block_table[-1]] is not None:
                pool.evict([block])
            if not len(token_ids) % self.block_size:
                self._cache_full_blocks()
        return ()

    def _new_blocks(self, n: int) -> list[int]:
        return self.pool.get_new_blocks(n)

    def _cache_full_blocks(self) -> None:
        assert self.prefix_cache is not None
        self.prefix_cache.cache_full_blocks(
            self.token_ids, self.block_table, self.block_hashes, self.chain_start
        )

    def _tell_written(self, start: int, end: int) -> None:
        for index in range(start // self.block_size, -(-end // self.block_size)):
            filled = min(end - index * self.block_size, self.block_size)
            self.pool.tell("written", [self.block_table[index]], filled)

    def truncate(self, length: int, *, written: bool = True) -> None:
        """Take back the tokens from a position on, just appended.

        Who shares their blocks keeps them and their content, unless that was never `written`.
        """
        if not 0 <= length <= len(self):
            raise ValueError(f"cannot cut {len(self)} tokens to {length}")
        pool, size = self.pool, self.block_size
        full, keep = length // size, -(-length // size)
        cut = reversed(self.block_table[full : len(self.block_hashes)])
        pool.evict(block for block in cut if pool.ref_cnt[block] == 1 or not written)
        pool.free_blocks(b for b in reversed(self.block_table[keep:]) if b != NULL_BLOCK)
        del self.block_hashes[full:], self.block_table[keep:], self.token_ids[length:]
        if pool.listeners and length % size and pool.ref_cnt[self.block_table[-1]] == 1:
            self._tell_written(length - 1, length)  # others may have filled it further

    def roll_back(self, n: int) -> None:
        """Take back the last n tokens, guesses that turned out wrong; all before them are right."""
        self.truncate(len(self) - n)

    def fork(self) -> Self:
        """Another sequence with the same tokens in the same blocks; nothing is allocated."""
        self.pool.touch(self.held)
        child = copy.copy(self)
        child.token_ids = self.token_ids.copy()
        child.block_table = self.block_table.copy()
        child.block_hashes = self.block_hashes.copy()
        announce(child)
        return child

    def free(self) -> None:
        """Give all blocks back, the last first, so that a prefix is evicted last."""
        self.pool.free_blocks(reversed(self.held))
        self.token_ids, self.block_table, self.block_hashes = [], [], []

    def slot(self, position: int) -> int:
        """block_id · block_size + offset of a position; −1 where its block is given back."""
        if not 0 <= position < len(self):
            raise ValueError(f"position {position} is not one of the {len(self)} tokens'")
        block, offset = divmod(position, self.block_size)
        if self.block_table[block] == NULL_BLOCK:
            return -1
        return self.block_table[block] * self.block_size + offset

    def slot_mapping(self, start: int) -> list[int]:
        """Slots of the tokens from a position on, in order."""
        return [self.slot(position) for position in range(start, len(self))]
