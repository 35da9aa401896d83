"""Blocks of a fixed number of slots: who is free, and how often each one is in use.

The words are vLLM's: `null_block`, `ref_cnt`, `get_new_blocks`, `touch`, `free_blocks`.
Every operation on a block takes the same time however large the pool is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from walkthrough.paging.events import Event, Kind, Listener

NULL_BLOCK = 0


class OutOfBlocksError(Exception):
    """Fewer blocks are free than were asked for; nothing was taken."""

    def __init__(self, asked: int, free: int, total: int) -> None:
        self.asked, self.free, self.total = asked, free, total
        super().__init__(f"{asked} blocks asked for, {free} of {total} are free")


class BlockPool:
    """`num_blocks` blocks; block 0, the null block, is padding and is never handed out.

    A free block may still hold content that the prefix cache knows. Such blocks are handed out
    last, the one freed longest ago first, and `forget` is called with the block then.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(
                f"a pool needs at least 2 blocks, the null block being one; got {num_blocks}"
            )
        self.num_blocks = num_blocks
        self.ref_cnt = [0] * num_blocks
        self.is_cached = bytearray(num_blocks)  # 1 where the prefix cache knows the content
        self.forget: Callable[[int], None] | None = None
        self.listeners: list[Listener] = []
        # Free blocks, in the order in which they are handed out: those never used yet, those
        # given back without known content, those with.
        self._never_used = 1
        self._plain: list[int] = []
        self._cached: OrderedDict[int, None] = OrderedDict()

    @property
    def num_free_blocks(self) -> int:
        """Blocks that could be handed out now."""
        return self.num_blocks - self._never_used + len(self._plain) + len(self._cached)

    def get_new_blocks(self, n: int) -> list[int]:
        """Take n free blocks, each with a count of 1.

        Raises `OutOfBlocksError`, with nothing changed, where fewer are free.
        """
        if n > self.num_free_blocks or n < 0:
            raise OutOfBlocksError(n, self.num_free_blocks, self.num_blocks - 1)
        end = min(self._never_used + n, self.num_blocks)
        blocks = list(range(self._never_used, end))
        self._never_used = end
        while len(blocks) < n:
            blocks.append(self._plain.pop() if self._plain else self._evict())
        ref_cnt = self.ref_cnt
        for block in blocks:
            ref_cnt[block] = 1
        if self.listeners:
            self.tell("allocated", blocks)
        return blocks

    def get_new_block(self) -> int:
        """Take one free block: `get_new_blocks(1)`, the step that a decode takes most often."""
        if self._plain and self._never_used == self.num_blocks and not self.listeners:
            block = self._plain.pop()
            self.ref_cnt[block] = 1
            return block
        return self.get_new_blocks(1)[0]

    def _evict(self) -> int:
        block, _ = self._cached.popitem(last=False)
        self.is_cached[block] = 0
        if self.forget is not None:
            self.forget(block)
        if self.listeners:
            self.tell("evicted", [block])
        return block

    def touch(self, blocks: Iterable[int]) -> None:
        """Use blocks once more: those in use are shared, free ones leave the free queue."""
        ref_cnt = self.ref_cnt
        for block in blocks:
            self._check(block)
            if not ref_cnt[block]:
                if block not in self._cached:
                    raise ValueError(f"block {block} is free and holds nothing to be shared")
                del self._cached[block]
            ref_cnt[block] += 1
            if self.listeners:
                self.tell("shared", [block])

    def free_blocks(self, blocks: Iterable[int]) -> None:
        """Use blocks once less; at 0 a block is free. The first given is evicted first.

        Freeing a block that is free already raises ValueError.
        """
        ref_cnt, plain, is_cached = self.ref_cnt, self._plain, self.is_cached
        for block in blocks:
            self._check(block)
            count = ref_cnt[block] - 1
            if count < 0:
                raise ValueError(f"block {block} is freed twice")
            ref_cnt[block] = count
            if not count:
                if is_cached[block]:
                    self._cached[block] = None
                else:
                    plain.append(block)
                if self.listeners:
                    self.tell("freed", [block])

    def num_free_of(self, blocks: Sequence[int]) -> int:
        """How many of these blocks stand in the free queue."""
        return sum(not self.ref_cnt[block] for block in blocks)

    def drop_cached(self) -> None:
        """Make every free block plain: nothing of their content is known any more."""
        for block in self._cached:
            self.is_cached[block] = 0
        self._plain.extend(self._cached)
        self._cached.clear()

    def tell(self, kind: Kind, blocks: Iterable[int], other: int | None = None) -> None:
        """Pass an event for each block on to the listeners (ask `listeners` first)."""
        for block in blocks:
            count = self.ref_cnt[block] if kind in ("allocated", "shared") else other
            for listener in self.listeners:
                listener(Event(kind, block, count))

    def _check(self, block: int) -> None:
        if not NULL_BLOCK < block < self.num_blocks:  # −1 would quietly be the last block
            raise ValueError(f"block {block} is not one of 1 … {self.num_blocks - 1}")
