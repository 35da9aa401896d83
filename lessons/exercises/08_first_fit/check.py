"""Lesson 8's memory, its edges, and random ones against the reference's allocator."""

import random

from walkthrough.exercises import same
from walkthrough.paging import ContiguousAllocator, Reservation

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    cases = [
        ([(0, 10), (16, 10), (32, 8)], 40),
        ([], 5),
        ([(0, 5)], 5),
        ([(3, 1), (0, 2)], 5),
        ([(2, 3), (5, 1)], 8),  # two beside one another
        ([(0, 1), (9, 1)], 14),  # the larger run is not the first
    ]
    chance = random.Random(0)
    for _ in range(20):
        edges = sorted(chance.sample(range(30), 6))
        taken = [(a, b - a) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        cases.append((chance.sample(taken, 3), 30))
    for taken, capacity in cases:
        memory = ContiguousAllocator(capacity)
        for number, (start, length) in enumerate(taken):
            memory.reservations[str(number)] = Reservation(start, length)
        runs = memory.free_runs()
        got = mine.free_runs(list(taken), capacity)
        same(f"free_runs({taken}, {capacity})", got, [tuple(run) for run in runs])
        for size in (1, 3, 6, capacity):
            place = f"first_fit({taken}, {capacity}, {size})"
            expected = next((start for start, length in runs if length >= size), None)
            same(place, mine.first_fit(list(taken), capacity, size), expected)
