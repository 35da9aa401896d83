"""Memories that requests are served from: one unbroken piece each, or blocks.

Each says where its slots went, in the four kinds of the paper's figure 2: holding tokens,
reserved for tokens this request will still write, reserved but never written (internal
fragmentation), and all else: what is free, and what the allocator rounds up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.buddy import BuddyAllocator
from walkthrough.paging.contiguous import OutOfMemoryError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.serving.workloads import CONTENT_SIZE, Lengths


@dataclass(eq=False)
class Running:
    """A request that is being served: how many of its tokens it has so far."""

    lengths: Lengths
    number: int  # in order of arrival
    stored: int  # tokens in the cache
    size: int = 0  # contiguous: slots reserved for it
    start: int = 0  # contiguous: where
    piece: int = 0  # contiguous: slots that the allocator took for it
    token_ids: list[int] = field(default_factory=list)  # paged: while it waits
    hit: int | None = None  # paged: tokens that were there when it first came
    sequence: Sequence | None = None  # paged


@dataclass
class SlotUsage:
    """Where all slots are, in slots."""

    tokens: int = 0
    reserved: int = 0
    internal: int = 0
    other: int = 0


class Memory(Protocol):
    """What the serving loop needs of a memory."""

    def fits(self, lengths: Lengths) -> bool:
        """Whether the request could be served if it were alone."""
        ...

    def start(self, running: Running) -> bool:
        """Make room for the tokens it has; False, with nothing changed, where there is none."""
        ...

    def grow(self, running: Running) -> bool:
        """Make room for one more token; False where there is none."""
        ...

    def stop(self, running: Running) -> None:
        """Take its room back."""
        ...

    def slots(self) -> SlotUsage:
        """Where the slots are now."""
        ...

    def blocks(self) -> tuple[int, int]:
        """Blocks that its requests name, and blocks that these are: equal without sharing."""
        ...


ReservationPolicy = Callable[
    [Lengths, int], int
]  # the request and the longest one → slots to reserve

POLICIES: dict[str, ReservationPolicy] = {
    "longest": lambda lengths, longest: longest,
    "power of two": lambda lengths, longest: min(
        longest, lengths.prompt + (1 << (lengths.output - 1).bit_length())
    ),
    "oracle": lambda lengths, longest: lengths.stored,
}


class ContiguousMemory:
    """One piece for each request, as long as the policy says, from a buddy allocator."""

    def __init__(self, capacity: int, longest: int, policy: ReservationPolicy) -> None:
        self.allocator = BuddyAllocator(capacity)
        self.longest, self.policy = longest, policy
        self._slots = SlotUsage(other=capacity)

    def fits(self, lengths: Lengths) -> bool:
        """Not longer than the longest, and its piece not larger than the largest."""
        size = self.policy(lengths, self.longest)
        whole = 1 << (self.allocator.capacity.bit_length() - 1)
        return lengths.stored <= self.longest and size <= whole

    def start(self, running: Running) -> bool:
        """Reserve all that the policy wants; it is there for good."""
        size = self.policy(running.lengths, self.longest)
        try:
            running.start, running.piece = self.allocator.reserve(size)
        except OutOfMemoryError:
            return False
        running.size = size
        self._count(running, 1)
        return True

    def grow(self, running: Running) -> bool:
        """The next slot is there already."""
        self._slots.tokens += 1
        self._slots.reserved -= 1
        return True

    def stop(self, running: Running) -> None:
        """Release the piece."""
        self._count(running, -1)
        self.allocator.release(running.start)

    def _count(self, running: Running, sign: int) -> None:
        slots, whole = self._slots, running.lengths.stored
        slots.tokens += sign * running.stored
        slots.reserved += sign * (whole - running.stored)
        slots.internal += sign * (running.size - whole)
        slots.other -= sign * running.size

    def slots(self) -> SlotUsage:
        """Where the slots are now."""
        return self._slots

    def blocks(self) -> tuple[int, int]:
        """There are none."""
        return 0, 0


@dataclass
class PagedMemory:
    """Blocks of a pool, taken as the tokens come; with `sharing`, equal prefixes once."""

    capacity: int
    block_size: int
    sharing: bool = False
    pool: BlockPool = field(init=False)
    prefix_cache: PrefixCache | None = field(init=False)
    hits: int = field(default=0, init=False)  # prompt tokens that were there already

    def __post_init__(self) -> None:
        self.pool = BlockPool(self.capacity // self.block_size + 1)
        self.prefix_cache = PrefixCache(self.pool, self.block_size) if self.sharing else None
        self._tokens = self._tables = 0

    def fits(self, lengths: Lengths) -> bool:
        """Not more blocks than the pool has."""
        return -(-lengths.stored // self.block_size) < self.pool.num_blocks

    def start(self, running: Running) -> bool:
        """Blocks for the tokens it has, those found in the prefix cache among them."""
        sequence = Sequence(self.pool, self.block_size, self.prefix_cache)
        tokens = running.token_ids = running.token_ids or token_ids(running)
        try:
            hit = sequence.reuse_prefix(tokens)
        except OutOfBlocksError:
            return False
        sequence.append(tokens[hit:])  # reuse_prefix has seen to it that there is room
        running.token_ids = []
        if running.hit is None:  # what it finds after a preemption is its own
            running.hit = hit
            self.hits += hit
        running.sequence = sequence
        self._tokens += len(sequence)
        self._tables += len(sequence.block_table)
        return True

    def grow(self, running: Running) -> bool:
        """A slot in the last block, or a new block."""
        sequence = running.sequence
        assert sequence is not None
        before = len(sequence.block_table)
        try:
            sequence.append_token(-1 - running.number)
        except OutOfBlocksError:
            return False
        self._tokens += 1
        self._tables += len(sequence.block_table) - before
        return True

    def stop(self, running: Running) -> None:
        """Give its blocks back."""
        sequence, running.sequence = running.sequence, None
        assert sequence is not None
        self._tokens -= len(sequence)
        self._tables -= len(sequence.block_table)
        sequence.free()

    def slots(self) -> SlotUsage:
        """Where the slots are now; a shared block counts once."""
        _, used = self.blocks()
        unfilled = self._tables * self.block_size - self._tokens  # last blocks, never shared
        filled = used * self.block_size - unfilled
        return SlotUsage(filled, 0, unfilled, self.capacity - used * self.block_size)

    def blocks(self) -> tuple[int, int]:
        """Blocks in all tables, and blocks in use."""
        return self._tables, self.pool.num_used_blocks


def token_ids(running: Running) -> list[int]:
    """Token ids of the prompt as far as its content is known; its own ones for the rest.

    Ids tell contents apart and mean nothing else.
    """
    prompt = running.lengths.prompt
    tokens = list(range(running.lengths.common))
    for part in running.lengths.content:
        tokens += range(part * CONTENT_SIZE, (part + 1) * CONTENT_SIZE)
    del tokens[prompt:]
    return tokens + [-1 - running.number] * (running.stored - len(tokens))
