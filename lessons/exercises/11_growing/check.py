"""The example's tokens, then other sizes against the reference, and refusals."""

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Sequence

MINUTES = 15
DIFFICULTY = 2
CHANGES = {"append": ("block_table", "free_blocks")}


def check(mine):
    for size, chunks in ((2, (2, 1, 1, 1)), (1, (3, 2)), (4, (3, 1, 1, 9)), (16, (1, 15, 0, 1))):
        table, free, length = [], list(range(9, 0, -1)), 0
        reference = Sequence(BlockPool(10), size)
        for n in chunks:
            place = f"append({table}, {length}, {n}, {free}, {size})"
            got = mine.append(table, length, n, free, size)
            reference.append(range(n))
            same(f"{place}: block_table", table, reference.block_table)
            same(f"{place}: len(free_blocks)", len(free), reference.pool.num_free_blocks)
            same(place, got, reference.slot_mapping(length))
            length += n
    table, free = [1, 2], [4, 3]
    for n in (6, 100):
        place = f"append([1, 2], 3, {n}, [4, 3], 2)"
        raises(mine.OutOfBlocks, place, mine.append, table, 3, n, free, 2)
    place = "append([1, 2], 3, 5, [4, 3], 2)"
    same(place, mine.append(table, 3, 5, free, 2), [5, 6, 7, 8, 9])
    same(f"{place}: free_blocks", free, [])
