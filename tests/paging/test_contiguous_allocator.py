"""The plain allocator of lesson 8, held against a list of slots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.paging.contiguous import ContiguousAllocator, OutOfMemoryError


def test_fails_with_more_free_than_asked_for() -> None:
    memory = ContiguousAllocator(12)
    for name in "ABC":
        memory.reserve(name, 4)
    memory.release("A")
    memory.release("C")
    with pytest.raises(OutOfMemoryError) as caught:
        memory.reserve("D", 5)
    assert (caught.value.asked, caught.value.free, caught.value.largest) == (5, 8, 4)
    assert "D" not in memory.reservations


def test_misuse_is_named() -> None:
    memory = ContiguousAllocator(4)
    memory.reserve("A", 2)
    with pytest.raises(ValueError, match="'A' already has slots"):
        memory.reserve("A", 1)
    with pytest.raises(ValueError, match="at least 1 slot, got 0"):
        memory.reserve("B", 0)
    memory.write("A", 0)
    with pytest.raises(ValueError, match="'A' has 2 of 2 slots left, not 3"):
        memory.write("A", 3)
    with pytest.raises(ValueError, match="'A' has 2 of 2 slots left, not -1"):
        memory.write("A", -1)
    memory.release("A")
    with pytest.raises(ValueError, match="'A' has no slots here"):
        memory.release("A")
    with pytest.raises(ValueError, match="at least 1 slot, got 0"):
        ContiguousAllocator(0)


@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.integers(1, 6)), max_size=40))
def test_against_a_list_of_slots(operations: list[tuple[str, int]]) -> None:
    memory, slots = ContiguousAllocator(15), [""] * 15
    for name, size in operations:
        if name in memory.reservations:
            memory.release(name)
            slots = ["" if owner == name else owner for owner in slots]
        else:
            fits = [i for i in range(16 - size) if not any(slots[i : i + size])]
            try:
                start = memory.reserve(name, size).start
            except OutOfMemoryError:
                assert not fits
            else:
                assert start == fits[0]
                slots[start : start + size] = [name] * size
        assert [owner for _, owner in memory.slots()] == slots
        assert memory.free == slots.count("")
