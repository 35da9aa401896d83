"""Forks inside a block, on its edge, refusals, and a life beside the reference."""

import random

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Sequence

MINUTES = 20
DIFFICULTY = 3
CHANGES = {"append_token": ("block_table", "ref_cnt", "free_blocks")}
RESULTS = "slot", "copy"


def check(mine):
    for table, length, counts, free, result, table_after, counts_after in (
        ([], 0, [0, 0], [1], (4, None), [1], [0, 1]),
        ([1], 3, [0, 1, 0], [2], (7, None), [1], [0, 1, 0]),  # alone
        ([1], 4, [0, 2, 0], [2], (8, None), [1, 2], [0, 2, 1]),  # on the edge: nothing to copy
        ([1], 3, [0, 2, 0], [2], (11, (1, 2)), [2], [0, 1, 1]),
        ([1, 2], 5, [0, 3, 3, 0, 0], [4, 3], (13, (2, 3)), [1, 3], [0, 3, 2, 1, 0]),
        ([1, 2], 5, [0, 2, 1, 0], [3], (9, None), [1, 2], [0, 2, 1, 0]),  # its tail is its own
    ):
        place = f"append_token({table}, {length}, {counts}, {free}, 4)"
        got = mine.append_token(table, length, counts, free, 4)
        same(f"{place}: block_table", table, table_after)
        same(f"{place}: ref_cnt", counts, counts_after)
        same(place, got, result, RESULTS)
    for table, length, counts in (([1], 2, [0, 2]), ([1], 4, [0, 2]), ([], 0, [0, 2])):
        place = f"append_token({table}, {length}, {counts}, [], 4)"
        raises(mine.OutOfBlocks, place, mine.append_token, table, length, counts, [], 4)
    random_life(mine)


def random_life(mine):
    """The same forks and tokens as in the reference, whose blocks may have other numbers."""
    chance = random.Random(0)
    pool, ref_cnt, free = BlockPool(60), [0] * 60, list(range(59, 0, -1))
    tables, sequences = [[]], [Sequence(pool, 3)]
    for _ in range(60):
        i = chance.randrange(len(tables))
        if chance.random() < 0.2:
            for block in tables[i]:
                ref_cnt[block] += 1
            tables.append(list(tables[i]))
            sequences.append(sequences[i].fork())
            continue
        length = len(sequences[i])
        copies = sequences[i].append([0])
        slot, copy = mine.append_token(tables[i], length, ref_cnt, free, 3)
        same("copies (seed 0)", 0 if copy is None else 1, len(copies))
        same("slot (seed 0)", slot, tables[i][-1] * 3 + length % 3)
    same("ref_cnt (seed 0)", sorted(ref_cnt), sorted(pool.ref_cnt))
    same("len(free_blocks) (seed 0)", len(free), pool.num_free_blocks)
    for table, sequence in zip(tables, sequences, strict=True):
        same("len(block_table) (seed 0)", len(table), len(sequence.block_table))
