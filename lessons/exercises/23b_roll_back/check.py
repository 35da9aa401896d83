"""Tables behind and ahead of their tokens, refusals, and a life beside the reference."""

import random

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, PrefixCache, SpeculativeSequence

MINUTES = 20
DIFFICULTY = 3
CHANGES = {"take_slots": ("block_table", "free_blocks")}
RESULTS = "length", "blocks"


def check(mine):
    for table, length, n, free, slots, table_after, free_after in (
        ([], 0, 3, [2, 1], [4, 5, 6], [1], [2]),
        ([1], 3, 1, [2], [7], [1], [2]),
        ([1], 4, 2, [3, 2], [8, 9], [1, 2], [3]),
        ([3, 1], 5, 9, [4, 2], [5, 6, 7, 8, 9, 10, 11, 16, 17], [3, 1, 2, 4], []),
        ([1, 2, 3], 4, 5, [4], [8, 9, 10, 11, 12], [1, 2, 3], [4]),  # ahead of its tokens
        ([1, 2, 3], 3, 1, [4], [7], [1, 2, 3], [4]),
        ([1, 2, 3], 8, 6, [4], [12, 13, 14, 15, 16, 17], [1, 2, 3, 4], []),
        ([1, 2], 6, 0, [3], [], [1, 2], [3]),
    ):
        place = f"take_slots({table}, {length}, {n}, {free}, 4)"
        got = mine.take_slots(table, length, n, free, 4)
        same(place, got, slots)
        same(f"{place}: block_table", table, table_after)
        same(f"{place}: free_blocks", free, free_after)
    for table, length, n, free in (([1], 4, 5, [2]), ([], 0, 1, []), ([1, 2], 4, 9, [3])):
        place = f"take_slots({table}, {length}, {n}, {free}, 4)"
        raises(mine.OutOfBlocks, place, mine.take_slots, table, length, n, free, 4)
    for arguments, expected in (
        (([1, 2, 3], 6, 4, 0, 1), (10, [2])),
        (([1, 2, 3], 6, 4, 1, 1), (9, [2])),
        (([1, 2, 3], 6, 4, 2, 2), (8, [])),
        (([4, 1, 3], 0, 12, 0, 0), (12, [4, 1, 3])),
        (([4, 1, 3], 0, 12, 1, 0), (11, [4, 1])),
        (([4, 1, 3], 4, 1, 0, 1), (5, [])),
    ):
        table, length, fed, wrong, cached = arguments
        place = f"after_run({table}, {length}, {fed}, {wrong}, {cached}, 4)"
        same(place, mine.after_run(table, length, fed, wrong, cached, 4), expected, RESULTS)
    random_life(mine)


def random_life(mine):
    """The same runs as in the reference, whose blocks may have other numbers."""
    chance = random.Random(0)
    pool = BlockPool(100)
    sequence = SpeculativeSequence(pool, 3, PrefixCache(pool, 3))
    table, free, length, cached = [], list(range(99, 0, -1)), 0, 0
    for _ in range(40):
        fed = chance.randint(1, 5)
        wrong = chance.randint(0, fed - 1)
        slots = mine.take_slots(table, length, fed, free, 3)
        sequence.append(range(fed))
        offsets = [slot % 3 for slot in sequence.slot_mapping(length)]
        same("slots % 3 (seed 0)", [slot % 3 for slot in slots], offsets)
        length, blocks = mine.after_run(table, length, fed, wrong, cached, 3)
        sequence.roll_back(wrong)
        cached += len(blocks)
        same("length (seed 0)", length, len(sequence))
        same("cached blocks (seed 0)", cached, len(sequence.block_hashes))
        held = len(sequence.block_table) + len(sequence.blocks_ahead)
        same("len(block_table) (seed 0)", len(table), held)
        same("len(free_blocks) (seed 0)", len(free), pool.num_free_blocks)
