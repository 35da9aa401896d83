"""Steps in which beams survive, multiply or die, counted by hand and against real sequences."""

import random

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, Sequence

MINUTES = 15
DIFFICULTY = 2
CHANGES = {"fork": ("ref_cnt",), "free": ("ref_cnt",), "next_tables": ("ref_cnt",)}


def check(mine):
    table, ref_cnt = [2, 1], [0, 1, 3]
    new = mine.fork(table, ref_cnt)
    same("fork([2, 1], [0, 1, 3])", new, [2, 1])
    same("ref_cnt after fork([2, 1], [0, 1, 3])", ref_cnt, [0, 2, 4])
    new.append(9)
    same("the parent's table, after the fork has grown", table, [2, 1])
    for table, before, unused, after in (
        ([1, 2], [0, 1, 1], [2, 1], [0, 0, 0]),
        ([2, 1], [0, 1, 2], [1], [0, 0, 1]),
        ([], [0, 1], [], [0, 1]),
    ):
        ref_cnt = list(before)
        same(f"free({table}, {before})", mine.free(list(table), ref_cnt), unused)
        same(f"ref_cnt after free({table}, {before})", ref_cnt, after)
    chance = random.Random(0)
    for _ in range(30):
        pool, width = BlockPool(60), chance.choice((1, 2, 3, 4))
        beams = [Sequence(pool, 2)]
        beams[0].append(range(chance.randrange(1, 8)))
        beams += [beams[0].fork() for _ in range(width - 1)]
        for beam in beams:
            beam.append([0] * chance.randrange(1, 4))
        tables = [list(beam.block_table) for beam in beams]
        parents = [chance.randrange(width) for _ in beams]
        ref_cnt = list(pool.ref_cnt)
        place = f"next_tables({tables}, {parents}, ref_cnt), seed 0"
        used = set().union(*tables)
        new, unused = mine.next_tables(tables, parents, ref_cnt)
        kept = [beams[parent].fork() for parent in parents]
        for beam in beams:
            beam.free()
        same(f"{place}, tables", new, [list(beam.block_table) for beam in kept])
        gone = sorted(block for block in used if pool.ref_cnt[block] == 0)
        same(f"{place}, unused, sorted", sorted(unused), gone)
        same(f"{place}, ref_cnt after", ref_cnt, list(pool.ref_cnt))
