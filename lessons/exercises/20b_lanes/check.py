"""Tables that end with the sequence, tiles across blocks, and a real sequence."""

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, Sequence

MINUTES = 12
DIFFICULTY = 2


def check(mine):
    blocks, size, length = [4, 9, 2, 7], 3, 8
    used = -(-length // size)
    for position in range(14):
        got = mine.lane_address(position, blocks[:used], size, length)
        place = f"lane_address({position}, {blocks}, {size}, {length})"
        right = (blocks[position // size], position % size) if position < length else None
        same(place, got, right)
    for tile in (1, 2, 3, 4, 8, 16):
        for start in range(0, length, tile):
            got = mine.tile_addresses(start, tile, blocks[:used], size, length)
            place = f"tile_addresses({start}, {tile}, {blocks}, {size}, {length})"
            places = [
                (blocks[p // size], p % size) if p < length else None
                for p in range(start, start + tile)
            ]
            same(f"len({place})", len(got), tile)
            for lane, (a, b) in enumerate(zip(got, places, strict=True)):
                same(f"{place}[{lane}]", a, b)
    for length, tile, size, counts in (
        (5, 3, 2, [2, 2]),
        (6, 3, 3, [1, 1]),
        (7, 4, 1, [4, 3]),
        (7, 2, 16, [1, 1, 1, 1]),
        (1, 8, 4, [1]),
    ):
        place = f"table_reads({length}, {tile}, {size})"
        same(place, mine.table_reads(length, tile, size), counts)
    pool = BlockPool(20)
    pool.get_new_blocks(3)
    sequence = Sequence(pool, 4)
    sequence.append(range(13))
    table = list(sequence.block_table)
    got = mine.tile_addresses(8, 8, table, 4, 13)
    slots = [None if a is None else a[0] * 4 + a[1] for a in got]
    expected = [*sequence.slot_mapping(8), None, None, None]
    same(f"slots of tile_addresses(8, 8, {table}, 4, 13)", slots, expected)
