"""The example's tokens, then other sizes against the reference, and refusals."""

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Sequence


def check(mine):
    for size, chunks in ((2, (2, 1, 1, 1)), (1, (3, 2)), (4, (3, 1, 1, 9)), (16, (1, 15, 0, 1))):
        table, free, length = [], list(range(9, 0, -1)), 0
        reference = Sequence(BlockPool(10), size)
        for n in chunks:
            got = mine.append(table, length, n, free, size)
            reference.append(range(n))
            place = f"append(length={length}, n={n}, block_size={size})"
            same(place, got, reference.slot_mapping(length))
            same("block_table", table, reference.block_table)
            same("len(free_blocks)", len(free), reference.pool.num_free_blocks)
            length += n
    table, free = [1, 2], [4, 3]
    for n in (6, 100):
        raises(mine.OutOfBlocks, f"append(n={n})", mine.append, table, 3, n, free, 2)
        same("block_table", table, [1, 2])
        same("free_blocks", free, [4, 3])
    same("append(n=5)", mine.append(table, 3, 5, free, 2), [5, 6, 7, 8, 9])
