"""Blocks of a fixed number of slots: who is free, how often each is in use, and what it holds.

The words are vLLM's. What is done to a block takes the same time however large the pool is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice

from walkthrough.paging.events import Event, Kind, Listener, pool_made

NULL_BLOCK = 0

BlockHash = bytes  # the identity of what a block holds; `prefix_cache` computes it


class OutOfBlocksError(Exception):
    """Fewer blocks are free than were asked for; nothing was taken."""

    def __init__(self, asked: int, free: int, total: int) -> None:
        self.asked, self.free, self.total = asked, free, total
        super().__init__(f"blocks asked for: {asked}, free: {free} of {total}")


class BlockPool:
    """`num_blocks` blocks; block 0, the null block, is padding and is never handed out.

    A block that has a `block_hash`, the identity of its content, keeps it when it is freed, and is
    found by it until it is handed out again. Free blocks without one are handed out first.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(f"a pool needs at least 2 blocks, one being null; got {num_blocks}")
        self.num_blocks = num_blocks
        self.ref_cnt = [0] * num_blocks
        self.block_hash: list[BlockHash | None] = [None] * num_blocks
        # Which blocks hold a content: most often one, at times several.
        self.cached_blocks: dict[BlockHash, tuple[int, ...]] = {}
        self.blank_blocks = list(range(num_blocks - 1, 0, -1))  # free, with no hash
        # Free, with a hash, in order of release; one that is found again leaves from the middle.
        self.free_queue: OrderedDict[int, None] = OrderedDict()
        self.listeners: list[Listener] = []
        if announce := pool_made.get(None):
            announce(self)

    @property
    def num_free_blocks(self) -> int:
        """How many could be handed out now."""
        return len(self.blank_blocks) + len(self.free_queue)

    @property
    def num_used_blocks(self) -> int:
        """Blocks in use, however often each one is."""
        return self.num_blocks - 1 - self.num_free_blocks

    def check_free(self, n: int) -> None:
        """Raise `OutOfBlocksError` where fewer than n blocks are free."""
        if n > self.num_free_blocks:
            raise OutOfBlocksError(n, self.num_free_blocks, self.num_blocks - 1)

    def get_new_blocks(self, n: int) -> list[int]:
        """Take n free blocks, each with a count of 1, those with a hash last, the oldest first.

        Raises `OutOfBlocksError`, with nothing changed, where fewer are free.
        """
        if n < 0:
            raise ValueError(f"cannot take {n} blocks")
        self.check_free(n)
        blocks = self.blank_blocks[: -n - 1 : -1]  # from the end, the last one first
        del self.blank_blocks[len(self.blank_blocks) - len(blocks) :]
        if oldest := list(islice(self.free_queue, n - len(blocks))):
            for block in oldest:
                del self.free_queue[block]
            self.evict(oldest)
            blocks += oldest
        for block in blocks:
            self.ref_cnt[block] = 1
        if self.listeners:
            self.tell("allocated", blocks)
        return blocks

    def touch(self, blocks: Sequence[int]) -> None:
        """Use blocks once more: those in use are shared, free ones leave the queue.

        Raises ValueError, with nothing changed, where one is free and holds nothing.
        """
        ref_cnt, end = self.ref_cnt, self.num_blocks
        for block in blocks:
            if not 0 < block < end:  # −1 would quietly be the last block
                raise ValueError(f"block {block} is not one of 1 … {end - 1}")
            if not ref_cnt[block] and self.block_hash[block] is None:
                raise ValueError(f"block {block} is free and holds nothing to be shared")
        for block in blocks:
            if not ref_cnt[block]:
                del self.free_queue[block]
            ref_cnt[block] += 1
            if self.listeners:
                self.tell("shared", [block])

    def free_blocks(self, blocks: Iterable[int]) -> None:
        """Use blocks once less; at 0 a block is free.

        Of those with a hash, the first given is evicted first. Raises ValueError, with nothing
        changed, where one is not in use, or given twice.
        """
        ref_cnt, hash_of, cached = self.ref_cnt, self.block_hash, self.cached_blocks
        blank, queue, end = self.blank_blocks, self.free_queue, self.num_blocks
        blocks = list(blocks)
        for block in blocks:
            if not 0 < block < end:
                raise ValueError(f"block {block} is not one of 1 … {end - 1}")
            if not ref_cnt[block]:
                raise ValueError(f"block {block} is freed twice")
        if len(set(blocks)) < len(blocks):
            raise ValueError(f"a block is freed twice: {blocks}")
        for block in blocks:
            ref_cnt[block] = count = ref_cnt[block] - 1
            if not count:
                if (block_hash := hash_of[block]) is None:
                    blank.append(block)
                elif len(cached[block_hash]) == 1:
                    queue[block] = None
                else:  # one block that is found is enough
                    self.evict([block])
                    blank.append(block)
                    if (other := cached[block_hash][0]) in queue:  # it was used just now, too
                        queue.move_to_end(other)
            if self.listeners:
                self.tell("freed", [block], count)

    def cache_blocks(self, blocks: Iterable[int], block_hashes: Iterable[BlockHash]) -> None:
        """Remember what blocks in use hold; those behind the last hash are not full yet."""
        hash_of, cached = self.block_hash, self.cached_blocks
        for block, block_hash in zip(blocks, block_hashes, strict=False):
            if block != NULL_BLOCK:  # it stands for those that a window has given back
                hash_of[block] = block_hash
                cached[block_hash] = (*cached.get(block_hash, ()), block)
                if self.listeners:
                    self.tell("cached", [block])

    def evict(self, blocks: Iterable[int]) -> None:
        """Forget what blocks hold: it goes, or somebody writes over it."""
        hash_of, cached = self.block_hash, self.cached_blocks
        for block in blocks:
            if (block_hash := hash_of[block]) is not None:
                hash_of[block] = None
                equal = cached.pop(block_hash)
                if len(equal) > 1:
                    cached[block_hash] = tuple(b for b in equal if b != block)
                if self.listeners:
                    self.tell("evicted", [block])

    def evict_all(self) -> None:
        """Forget what free blocks hold."""
        self.evict(self.free_queue)
        self.blank_blocks += self.free_queue
        self.free_queue.clear()

    def tell(self, kind: Kind, blocks: Iterable[int], other: int | None = None) -> None:
        """Pass an event for each block on to the listeners (ask `listeners` first)."""
        for block in blocks:
            count = self.ref_cnt[block] if kind in ("allocated", "shared") else other
            for listener in self.listeners:
                listener(Event(kind, block, count))
