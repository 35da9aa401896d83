"""A sequence of tokens and its block table: where the K and V of each token lie.

Position p lies in block `block_table[p // block_size]`, at offset p % block_size.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool
from walkthrough.paging.prefix_cache import PrefixCache

Copy = tuple[int, int]  # (source block, destination block)
NO_COPIES: list[Copy] = []


class Sequence:
    """Tokens in blocks of one pool, several of which may be shared with other sequences."""

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        prefix_cache: PrefixCache | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        if block_size < 1:
            raise ValueError(f"block_size must be at least 1, got {block_size}")
        if prefix_cache is not None and prefix_cache.block_size != block_size:
            raise ValueError(
                f"the prefix cache has blocks of {prefix_cache.block_size}, not {block_size}"
            )
        self.pool, self.block_size, self.prefix_cache = pool, block_size, prefix_cache
        self.root = prefix_cache.root(extra or {}) if prefix_cache is not None else 0
        self.token_ids: list[int] = []
        self.block_table: list[int] = []
        self._room = 0  # slots that `append_token` may fill without looking further
        self._listeners = pool.listeners

    def __len__(self) -> int:
        """Tokens that have a slot."""
        return len(self.token_ids)

    def reuse_prefix(self, prompt: SequenceOf[int]) -> int:
        """Start with the blocks that already hold the beginning of this prompt.

        Returns how many tokens need not be computed. Raises `OutOfBlocksError`, with every
        count as it was, where the rest of the prompt would not fit.
        """
        if self.token_ids:
            raise ValueError(f"the sequence has {len(self)} tokens already")
        if self.prefix_cache is None:
            return 0
        blocks = self.prefix_cache.match(prompt, self.root)
        needed = -(-len(prompt) // self.block_size) - len(blocks)
        self.check_free(needed + self.pool.num_free_of(blocks))
        self.pool.touch(blocks)
        self.block_table = blocks
        self.token_ids = list(prompt[: len(blocks) * self.block_size])
        return len(self.token_ids)

    def check_free(self, needed: int) -> None:
        """Raise `OutOfBlocksError` where fewer blocks are free."""
        if needed > self.pool.num_free_blocks:
            self.pool.get_new_blocks(needed)

    def append(self, token_ids: SequenceOf[int]) -> list[Copy]:
        """Give each token the next slot; returns the copies to make before slots are written.

        A shared, partly filled last block is replaced by a copy (copy-on-write). Raises
        `OutOfBlocksError`, with nothing changed, where blocks are missing.
        """
        size, start = self.block_size, len(self.token_ids)
        end = start + len(token_ids)
        copies: list[Copy] = []
        offset = start % size
        shared = bool(offset and token_ids) and self.pool.ref_cnt[self.block_table[-1]] > 1
        needed = -(-end // size) - len(self.block_table)
        if needed or shared:
            new = self.pool.get_new_blocks(needed + shared)
            if shared:
                copies.append(self._replace_last(new.pop(0)))
            self.block_table.extend(new)
        self.token_ids.extend(token_ids)
        if self.pool.listeners:
            self._tell_written(start, end)
        if self.prefix_cache is not None and start // size < end // size:
            self.prefix_cache.cache_full_blocks(
                self.token_ids, self.block_table, start // size, end // size, self.root
            )
        # The last block is its own now. Its last slot is not counted: filling it caches it.
        self._room = max(0, -end % size - 1)
        return copies

    def append_token(self, token: int) -> list[Copy]:
        """Give one token the next slot: `append([token])`, the shortest way there is.

        Most tokens of a decode fall into a block that the sequence has to itself.
        """
        if self._room and not self._listeners:
            self._room -= 1
            self.token_ids.append(token)
            return NO_COPIES
        return self.append([token])

    def _replace_last(self, block: int) -> Copy:
        source = self.block_table[-1]
        self.block_table[-1] = block
        self.pool.free_blocks([source])
        if self.pool.listeners:
            self.pool.tell("copied", [block], source)
        return source, block

    def _tell_written(self, start: int, end: int) -> None:
        for index in range(start // self.block_size, -(-end // self.block_size)):
            filled = min(end - index * self.block_size, self.block_size)
            self.pool.tell("written", [self.block_table[index]], filled)

    def fork(self) -> Sequence:
        """Another sequence with the same tokens in the same blocks; nothing is allocated."""
        child = Sequence(self.pool, self.block_size, self.prefix_cache)
        self.pool.touch(block for block in self.block_table if block != NULL_BLOCK)
        child.token_ids, child.block_table = self.token_ids.copy(), self.block_table.copy()
        child.root = self.root
        self._room = 0  # the last block is shared from now on
        return child

    def free(self) -> None:
        """Give all blocks back, the last first, so that a prefix is evicted last."""
        self.pool.free_blocks(block for block in reversed(self.block_table) if block != NULL_BLOCK)
        self.block_table, self.token_ids, self._room = [], [], 0

    def free_before(self, position: int) -> None:
        """Give back the whole blocks before a position (a sliding window); padding stands in."""
        for index in range(min(position // self.block_size, len(self.block_table))):
            if self.block_table[index] != NULL_BLOCK:
                self.pool.free_blocks([self.block_table[index]])
                self.block_table[index] = NULL_BLOCK

    def slot(self, position: int) -> int:
        """block_id · block_size + offset of a position."""
        if not 0 <= position < len(self.token_ids):
            raise ValueError(f"position {position} is not one of the {len(self)} tokens'")
        block, offset = divmod(position, self.block_size)
        return self.block_table[block] * self.block_size + offset

    def slot_mapping(self, start: int) -> list[int]:
        """Slots of the tokens from a position on, in order."""
        return [self.slot(position) for position in range(start, len(self.token_ids))]
