"""A plain allocator: each request gets one unbroken run of slots, the first that fits.

It is what a K/V cache without pages lives in, and the lesson on why pages exist runs it
until it fails. Slots are counted in tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SlotState = Literal["free", "reserved", "written"]


class OutOfMemoryError(Exception):
    """No unbroken run of free slots is long enough; nothing was reserved."""

    def __init__(self, asked: int, free: int, largest: int) -> None:
        self.asked, self.free, self.largest = asked, free, largest
        super().__init__(
            f"no room for {asked} slots in one piece: {free} are free, "
            f"the longest free run is {largest}"
        )


@dataclass
class Reservation:
    """One request's run of slots: [start, start + size), the first `written` of them in use."""

    start: int
    size: int
    written: int = 0

    @property
    def end(self) -> int:
        """The slot after the last."""
        return self.start + self.size


class ContiguousAllocator:
    """Runs of slots in a memory of `capacity` slots, handed out first-fit by name."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1 slot, got {capacity}")
        self.capacity = capacity
        self.reservations: dict[str, Reservation] = {}

    def free_runs(self) -> list[tuple[int, int]]:
        """(start, length) of every unbroken run of free slots, from the left."""
        runs, slot = [], 0
        for taken in sorted(self.reservations.values(), key=lambda r: r.start):
            if taken.start > slot:
                runs.append((slot, taken.start - slot))
            slot = taken.end
        if slot < self.capacity:
            runs.append((slot, self.capacity - slot))
        return runs

    @property
    def free(self) -> int:
        """Slots that nobody has reserved."""
        return sum(length for _, length in self.free_runs())

    @property
    def largest_free_run(self) -> int:
        """The longest request that could be served now."""
        return max((length for _, length in self.free_runs()), default=0)

    @property
    def written(self) -> int:
        """Slots that hold a token."""
        return sum(r.written for r in self.reservations.values())

    def reserve(self, name: str, size: int) -> Reservation:
        """The first free run of `size` slots; raises `OutOfMemoryError`, with nothing changed."""
        if name in self.reservations:
            raise ValueError(f"{name!r} already has slots")
        if size < 1:
            raise ValueError(f"a reservation needs at least 1 slot, got {size}")
        for start, length in self.free_runs():
            if length >= size:
                self.reservations[name] = Reservation(start, size)
                return self.reservations[name]
        raise OutOfMemoryError(size, self.free, self.largest_free_run)

    def write(self, name: str, tokens: int) -> None:
        """Fill the next slots of a reservation; more than it has left raises ValueError."""
        reservation = self._find(name)
        left = reservation.size - reservation.written
        if not 0 <= tokens <= left:
            raise ValueError(f"{name!r} has {left} of {reservation.size} slots left, not {tokens}")
        reservation.written += tokens

    def release(self, name: str) -> None:
        """Give a request's slots back; an unknown name, or a second time, raises ValueError."""
        self._find(name)
        del self.reservations[name]

    def slots(self) -> list[tuple[SlotState, str]]:
        """Every slot from the left: its state and whose it is ("" where free)."""
        slots: list[tuple[SlotState, str]] = [("free", "")] * self.capacity
        for name, r in self.reservations.items():
            slots[r.start : r.end] = [("reserved", name)] * r.size
            slots[r.start : r.start + r.written] = [("written", name)] * r.written
        return slots

    def _find(self, name: str) -> Reservation:
        if name not in self.reservations:
            raise ValueError(f"{name!r} has no slots here")
        return self.reservations[name]
