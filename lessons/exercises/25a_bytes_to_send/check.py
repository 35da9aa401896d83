"""Pools of the project hand prompts over, and a real model's bytes."""

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, PrefixCache, Sequence, hand_over
from walkthrough.reference import geometry

MINUTES = 20
DIFFICULTY = 2
LIVES = (  # the prompts in turn, and a block's slots
    (([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], [1, 2, 3, 4], [2, 2, 3, 4], [1, 2, 3]), 2),
    (([5, 5, 5], [5, 5, 5, 5, 5, 5], [5, 5, 5, 5, 5, 4], [5]), 3),
    (([1, 2], [3, 4], [3, 5, 1], [1, 2]), 1),
    (([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 0, 6, 7, 8], [8, 7]), 4),
)


def check(mine):
    for prompts, size in LIVES:
        here, there = BlockPool(40), BlockPool(40)
        there.get_new_blocks(3)
        known_there, held = PrefixCache(there, size), []
        for prompt in prompts:
            source, target = Sequence(here, size), Sequence(there, size, known_there)
            source.append(prompt)
            copies = hand_over(source, target)
            known = len(target.block_table) - len(copies)
            place = f"known_blocks({prompt}, {held}, {size})"
            same(place, mine.known_blocks(prompt, held, size), known)
            tables = list(source.block_table), list(target.block_table)
            place = f"pairs({tables[0]}, {tables[1]}, {known})"
            same(place, [tuple(pair) for pair in mine.pairs(*tables, known)], copies)
            block = 2 * 3 * size * 2 * 4 * 2
            sizes = len(prompt), known, size, 3, 2, 4, 2
            got = mine.bytes_to_send(*sizes)
            same(f"bytes_to_send{sizes}", got, len(copies) * block)
            held.append(prompt)
    for name in ("llama3-8b", "llama2-7b"):
        g = geometry(name)
        for n, known, blocks in ((2048, 0, 128), (2048, 100, 28), (2049, 128, 1), (16, 1, 0)):
            sizes = n, known, 16, g.layers, g.h_kv, g.d_k, 2
            expected = blocks * 16 * g.bytes_per_token()
            same(f"bytes_to_send{sizes}, {name}", mine.bytes_to_send(*sizes), expected)
