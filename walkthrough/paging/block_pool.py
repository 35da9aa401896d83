"""Blocks of a fixed number of slots: who is free, and how often each one is in use.

The words are vLLM's: `null_block`, `ref_cnt`, `get_new_blocks`, `touch`, `free_blocks`.
Every operation on a block takes the same time however large the pool is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence

from walkthrough.paging.events import Event, Kind, Listener, pool_made

NULL_BLOCK = 0


class OutOfBlocksError(Exception):
    """Fewer blocks are free than were asked for; nothing was taken."""

    def __init__(self, asked: int, free: int, total: int) -> None:
        self.asked, self.free, self.total = asked, free, total
        super().__init__(f"blocks asked for: {asked}, free: {free} of {total}")


class BlockPool:
    """`num_blocks` blocks; block 0, the null block, is padding and is never handed out.

    A free block may still hold content that the prefix cache knows (`content` is not None).
    Such blocks are handed out last, the one freed longest ago first, and `forget` is called
    with the block then.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(
                f"a pool needs at least 2 blocks, the null block being one; got {num_blocks}"
            )
        self.num_blocks = num_blocks
        self.ref_cnt = [0] * num_blocks
        self.content: list[object] = [None] * num_blocks  # what the prefix cache knows it by
        self.spare: set[int] = set()  # blocks whose content another block holds as well
        self.forget: Callable[[int], None] | None = None
        self.listeners: list[Listener] = []
        # Free blocks, in the order in which they are handed out: those never used yet, those
        # given back without known content, those with.
        self._never_used = 1
        self._plain: list[int] = []
        self._cached: OrderedDict[int, None] = OrderedDict()
        if announce := pool_made.get(None):
            announce(self)

    @property
    def num_free_blocks(self) -> int:
        """Blocks that could be handed out now."""
        return self.num_blocks - self._never_used + len(self._plain) + len(self._cached)

    def get_new_blocks(self, n: int) -> list[int]:
        """Take n free blocks, each with a count of 1.

        Raises `OutOfBlocksError`, with nothing changed, where fewer are free.
        """
        if n < 0:
            raise ValueError(f"cannot take {n} blocks")
        if n > self.num_free_blocks:
            raise OutOfBlocksError(n, self.num_free_blocks, self.num_blocks - 1)
        end = min(self._never_used + n, self.num_blocks)
        blocks = list(range(self._never_used, end))
        self._never_used = end
        if (missing := n - len(blocks)) and self._plain:
            blocks += self._plain[: -missing - 1 : -1]  # from the end, the last one first
            del self._plain[-missing:]
        if missing := n - len(blocks):
            blocks += self._evict(missing)
        ref_cnt = self.ref_cnt
        for block in blocks:
            ref_cnt[block] = 1
        if self.listeners:
            self.tell("allocated", blocks)
        return blocks

    def _evict(self, n: int) -> list[int]:
        oldest, forget = self._cached.popitem, self.forget
        blocks = [oldest(last=False)[0] for _ in range(n)]
        if forget is not None:
            for block in blocks:
                forget(block)
        if self.listeners:
            self.tell("evicted", blocks)
        return blocks

    def touch(self, blocks: Iterable[int]) -> None:
        """Use blocks once more: those in use are shared, free ones leave the free queue."""
        ref_cnt = self.ref_cnt
        for block in blocks:
            if not NULL_BLOCK < block < self.num_blocks:
                raise self._no_such(block)
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
        ref_cnt, content, plain, cached = self.ref_cnt, self.content, self._plain, self._cached
        end, spare = self.num_blocks, self.spare
        for block in blocks:
            if not NULL_BLOCK < block < end:  # −1 would quietly be the last block
                raise self._no_such(block)
            count = ref_cnt[block] - 1
            if count < 0:
                raise ValueError(f"block {block} is freed twice")
            ref_cnt[block] = count
            if not count:
                if content[block] is None:
                    plain.append(block)
                elif block in spare and self.forget is not None:
                    self.forget(block)  # another block keeps the content
                    plain.append(block)
                else:
                    cached[block] = None
            if self.listeners:
                self.tell("freed", [block], count)

    def num_free_of(self, blocks: Sequence[int]) -> int:
        """How many of these blocks stand in the free queue."""
        return sum(not self.ref_cnt[block] for block in blocks)

    def drop_cached(self) -> None:
        """Make every free block plain: nothing of their content is known any more."""
        for block in self._cached:
            self.content[block] = None
        if self.listeners:
            self.tell("evicted", self._cached)
        self._plain.extend(self._cached)
        self._cached.clear()

    def tell(self, kind: Kind, blocks: Iterable[int], other: int | None = None) -> None:
        """Pass an event for each block on to the listeners (ask `listeners` first)."""
        for block in blocks:
            count = self.ref_cnt[block] if kind in ("allocated", "shared") else other
            for listener in self.listeners:
                listener(Event(kind, block, count))

    def _no_such(self, block: int) -> ValueError:
        return ValueError(f"block {block} is not one of 1 … {self.num_blocks - 1}")
