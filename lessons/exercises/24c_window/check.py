"""Edges of blocks and windows one token after the other, beside the reference's own table."""

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, WindowedSequence, blocks_held

MINUTES = 20
DIFFICULTY = 2
CHANGES = {"slide": ("block_table", "free_blocks")}


def check(mine):
    for table, m, window, size, after, freed in (
        ([5, 2, 7], 5, 4, 2, [None, 2, 7], [5]),
        ([5, 2, 7], 5, 5, 2, [5, 2, 7], []),
        ([5, 2, 7], 5, 3, 2, [None, 2, 7], [5]),
        ([5, 2, 7], 5, 2, 2, [None, None, 7], [5, 2]),
        ([5, 2, 7], 6, 1, 2, [None, None, None], [5, 2, 7]),
        ([None, 2, 7], 6, 2, 2, [None, None, 7], [2]),
        ([4], 3, 9, 4, [4], []),
        ([], 0, 4, 2, [], []),
    ):
        free = [9]
        place = f"slide({table}, {m}, {window}, {size}, [9])"
        same(place, mine.slide(table, m, window, size, free), None)
        same(f"{place}: block_table", table, after)
        same(f"{place}: free_blocks", free, [9, *freed])
    for window, size in ((4, 2), (1, 1), (5, 3), (3, 4)):
        sequence = WindowedSequence(BlockPool(40), size, window=window)
        table, free = [], []
        for m in range(1, 16):
            sequence.append([m])
            sequence.free_before(m - window + 1)
            if len(table) < len(sequence.block_table):
                table.append(len(table) + 1)
            mine.slide(table, m, window, size, free)
            place = f"after {m} tokens, window={window}, block_size={size}"
            given_back = [block is None for block in table]
            same(f"slide, {place}: None", given_back, [not b for b in sequence.block_table])
            same(f"slide, {place}: free_blocks", free, list(range(1, given_back.count(True) + 1)))
    for m, window, size in ((0, 4, 2), (1, 4, 2), (5, 4, 2), (9, 4, 2), (9, 1, 3), (100, 7, 4)):
        for sinks in (0, 1, 4, 5):
            place = f"blocks_held({m}, {window}, {size}, {sinks})"
            got = mine.blocks_held(m, window, size, sinks)
            same(place, got, blocks_held(m, window, size, sinks))
