"""Lesson 9's table, other sizes, and positions that are not there."""

from walkthrough.exercises import raises, same

MINUTES = 12
DIFFICULTY = 1


def check(mine):
    tokens = ("나는", "학교에", "간다", ".", "<EOS>")
    for n, size, blocks in ((0, 4, 0), (1, 4, 1), (4, 4, 1), (5, 4, 2), (1000, 16, 63), (3, 1, 3)):
        same(f"blocks_needed({n}, {size})", mine.blocks_needed(n, size), blocks)
    slots = [mine.slot(position, [4, 5, 1], 2) for position in range(5)]
    same("slot", slots, [8, 9, 10, 11, 2], tokens)
    for position, table, size, slot in ((0, [7], 1, 7), (6, [3, 9], 4, 38), (31, [2, 5], 16, 95)):
        got = mine.slot(position, table, size)
        same(f"slot({position}, {table}, {size})", got, slot)
    for position in (-1, -2, 6, 7, 60):
        place = f"slot({position}, [4, 5, 1], 2)"
        raises(ValueError, place, mine.slot, position, [4, 5, 1], 2)
    got = mine.slot_mapping(3, 7, [8, 2, 6], 3)
    same("slot_mapping(3, 7, [8, 2, 6], 3)", got, [6, 7, 8, 18])
    same("slot_mapping(2, 2, [4, 5], 2)", mine.slot_mapping(2, 2, [4, 5], 2), [])
