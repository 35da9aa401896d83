"""Forks inside a block, on its edge, refusals, and a life beside the reference."""

import random

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Sequence


def check(mine):
    A, B, ref_cnt, free = [1], [1], [0, 2, 0, 0], [3, 2]
    got = mine.append_token(A, 4, ref_cnt, free, 4)
    same("append_token(length=4, block_size=4)", got, (8, None))  # on the edge: nothing to copy
    same("ref_cnt", ref_cnt, [0, 2, 1, 0])
    got = mine.append_token(A, 5, ref_cnt, free, 4)
    same("append_token(length=5, block_size=4)", got, (9, None))
    same("A", A, [1, 2])
    same("B", B, [1])
    for table, length in (([1], 2), ([1], 4), ([], 0)):
        lists = list(table), [0, 2], []
        place = f"append_token({table}, {length}, ref_cnt=[0, 2], free_blocks=[])"
        raises(mine.OutOfBlocks, place, mine.append_token, lists[0], length, *lists[1:], 4)
        same("block_table", lists[0], table)
        same("ref_cnt", lists[1], [0, 2])
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
        _, copy = mine.append_token(tables[i], length, ref_cnt, free, 3)
        same("copies", 0 if copy is None else 1, len(copies))
    same("ref_cnt", sorted(ref_cnt), sorted(pool.ref_cnt))
    same("len(free_blocks)", len(free), pool.num_free_blocks)
    for table, sequence in zip(tables, sequences, strict=True):
        same("len(block_table)", len(table), len(sequence.block_table))
