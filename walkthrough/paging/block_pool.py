"""Blocks of a fixed number of slots: who is free, and how often each one is in use.

The words are vLLM's: `null_block`, `ref_cnt`, `get_new_blocks`, `touch`, `free_blocks`.
Every operation on a block takes the same time (amortised) however large the pool is.
"""

from __future__ import annotations

from collections import defaultdict, deque
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
    with them then.
    """

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(
                f"a pool needs at least 2 blocks, the null block being one; got {num_blocks}"
            )
        self.num_blocks = num_blocks
        self.num_free_blocks = num_blocks - 1  # how many could be handed out now
        self.ref_cnt = [0] * num_blocks
        self.content: list[object] = [None] * num_blocks  # what the prefix cache knows it by
        self.spare: set[int] = set()  # blocks whose content another block holds as well
        self.forget: Callable[[Sequence[int]], None] | None = None
        self.give_up: Callable[[int], int] | None = None  # forgets a spare one, names the other
        self.listeners: list[Listener] = []
        # Free blocks, in the order in which they are handed out: those never used yet, those
        # given back without known content, those with. A block that is touched is not looked
        # for in that queue; its entry is passed over when its turn comes.
        self._never_used = 1
        self._plain: list[int] = []
        self._cached: deque[int] = deque()
        # How many entries of a block are to be passed over.
        self._void: defaultdict[int, int] = defaultdict(int)
        if announce := pool_made.get(None):
            announce(self)

    @property
    def num_used_blocks(self) -> int:
        """Blocks in use, however often each one is."""
        return self.num_blocks - 1 - self.num_free_blocks

    def get_new_blocks(self, n: int) -> list[int]:
        """Take n free blocks, each with a count of 1.

        Raises `OutOfBlocksError`, with nothing changed, where fewer are free.
        """
        if n < 0:
            raise ValueError(f"cannot take {n} blocks")
        if n > self.num_free_blocks:
            raise OutOfBlocksError(n, self.num_free_blocks, self.num_blocks - 1)
        self.num_free_blocks -= n
        blocks: list[int] = []
        if self._never_used < self.num_blocks:
            end = min(self._never_used + n, self.num_blocks)
            blocks += range(self._never_used, end)
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
        oldest, void = self._cached.popleft, self._void
        blocks: list[int] = []
        while missing := n - len(blocks):
            entries = [oldest() for _ in range(missing)]
            if void:
                entries = [b for b in entries if b not in void or not self._pass_over(b)]
            blocks += entries
        if self.forget is not None:
            self.forget(blocks)
        return blocks

    def _pass_over(self, block: int) -> bool:
        """Whether an entry of the queue is void; if so, it is used up."""
        entries = self._void.pop(block, 0)
        if entries > 1:
            self._void[block] = entries - 1
        return entries > 0

    def touch(self, blocks: Sequence[int]) -> None:
        """Use blocks once more: those in use are shared, free ones leave the free queue.

        Raises ValueError, with nothing changed, where one is free and holds nothing.
        """
        ref_cnt, content, void, listeners = self.ref_cnt, self.content, self._void, self.listeners
        end = self.num_blocks
        for block in blocks:
            if block < 1 or block >= end:  # −1 would quietly be the last block
                raise self._no_such(block)
            if not ref_cnt[block] and content[block] is None:
                raise ValueError(f"block {block} is free and holds nothing to be shared")
        for block in blocks:
            if count := ref_cnt[block]:
                ref_cnt[block] = count + 1
            else:
                ref_cnt[block] = 1
                void[block] += 1
                self.num_free_blocks -= 1
            if listeners:
                self.tell("shared", [block])
        self._drop_void(2 * self.num_blocks)

    def _drop_void(self, most: int) -> None:
        """Take the entries that are to be passed over out of a queue with more than `most`."""
        if len(self._cached) > most:
            entries = [block for block in self._cached if not self._pass_over(block)]
            self._cached.clear()
            self._cached.extend(entries)

    def free_blocks(self, blocks: Iterable[int]) -> None:
        """Use blocks once less; at 0 a block is free.

        Of those with known content, the first given is evicted first. Freeing a block that is
        free already raises ValueError.
        """
        ref_cnt, content, spare, listeners = self.ref_cnt, self.content, self.spare, self.listeners
        to_plain, to_cached, freed = self._plain.append, self._cached.append, 0
        try:
            for block in blocks:
                try:
                    count = ref_cnt[block]
                except IndexError:
                    raise self._no_such(block) from None
                if block < 1 or not count:
                    raise self._not_in_use(block)
                ref_cnt[block] = count - 1
                if count == 1:
                    freed += 1
                    if listeners:  # they see the counts as they are
                        self.num_free_blocks, freed = self.num_free_blocks + freed, 0
                    if content[block] is None:
                        to_plain(block)
                    elif spare and block in spare:
                        self._free_spare(block)
                    else:
                        to_cached(block)
                if listeners:
                    self.tell("freed", [block], count - 1)
        finally:
            self.num_free_blocks += freed

    def _free_spare(self, block: int) -> None:
        """Another block keeps the content, and was used just now as well."""
        assert self.give_up is not None
        other = self.give_up(block)
        self._plain.append(block)
        if not self.ref_cnt[other]:
            self._void[other] += 1
            self._cached.append(other)
            self._drop_void(2 * self.num_blocks)

    def num_free_of(self, blocks: Sequence[int]) -> int:
        """How many of these blocks stand in the free queue."""
        return [self.ref_cnt[block] for block in blocks].count(0)

    def drop_cached(self) -> None:
        """Make every free block plain: nothing of their content is known any more."""
        self._drop_void(0)
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

    def _not_in_use(self, block: int) -> ValueError:
        if block < 1:
            return self._no_such(block)
        return ValueError(f"block {block} is freed twice")

    def _no_such(self, block: int) -> ValueError:
        return ValueError(f"block {block} is not one of 1 … {self.num_blocks - 1}")
