"""A buddy allocator: pieces of 2^k slots, split in halves and joined again.

It is what contiguous caches are cut with. Quick, and its pieces always meet again, but a
request gets the next power of two, and what it does not need of that nobody else can have.
Source: Knowlton, "A Fast Storage Allocator" (1965).
"""

from __future__ import annotations

from walkthrough.paging.contiguous import OutOfMemoryError


class BuddyAllocator:
    """Pieces of a memory of `capacity` slots, which need not be a power of two itself."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1 slot, got {capacity}")
        self.capacity = self.free = capacity
        self._taken: dict[int, int] = {}  # start → order
        self._free: list[set[int]] = [set() for _ in range(capacity.bit_length())]
        start = 0
        for order in reversed(range(capacity.bit_length())):  # 13 slots: 8 + 4 + 1
            if capacity >> order & 1:
                self._free[order].add(start)
                start += 1 << order

    def reserve(self, size: int) -> tuple[int, int]:
        """A piece of at least `size` slots: (start, slots).

        Raises `OutOfMemoryError`, with nothing changed, where no piece is large enough.
        """
        if size < 1:
            raise ValueError(f"a reservation needs at least 1 slot, got {size}")
        wanted = (size - 1).bit_length()
        order = next((k for k in range(wanted, len(self._free)) if self._free[k]), None)
        if order is None:
            largest = max((1 << k for k, starts in enumerate(self._free) if starts), default=0)
            raise OutOfMemoryError(1 << wanted, self.free, largest)
        start = min(self._free[order])
        self._free[order].remove(start)
        while order > wanted:  # keep the left half, give the right one back
            order -= 1
            self._free[order].add(start + (1 << order))
        self._taken[start] = order
        self.free -= 1 << order
        return start, 1 << order

    def release(self, start: int) -> None:
        """Give a piece back; free buddies are joined, as often as that goes."""
        if start not in self._taken:
            raise ValueError(f"no piece that is in use begins at slot {start}")
        order = self._taken.pop(start)
        self.free += 1 << order
        while (buddy := start ^ (1 << order)) in self._free[order]:
            self._free[order].remove(buddy)
            start, order = min(start, buddy), order + 1
        self._free[order].add(start)
