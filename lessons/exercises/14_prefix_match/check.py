"""Lesson 14's prompts, gaps in the chain, and random prompts against the reference."""

import random

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, PrefixCache, Sequence

MINUTES = 15
DIFFICULTY = 2
CHANGES = {"remember": ("known",)}


def check(mine):
    known = {}
    mine.remember([0, 1, 2, 3, 4], [3, 1, 2], known, 2)
    same("remember([0, 1, 2, 3, 4], [3, 1, 2])", known, {(0, 1): 3, (0, 1, 2, 3): 1})
    mine.remember([0, 1, 9, 9], [5, 6], known, 2)  # the same first block once more
    after = {(0, 1): 3, (0, 1, 2, 3): 1, (0, 1, 9, 9): 6}
    same("remember([0, 1, 9, 9], [5, 6])", known, after)
    mine.remember([7], [8], known, 2)
    same("remember([7], [8])", known, after)
    for prompt, blocks in (
        ([0, 1, 2, 3, 4], [3, 1]),
        ([0, 1, 2, 3], [3]),
        ([0, 1], []),
        ([0, 1, 9, 9, 0, 0, 0], [3, 6]),
        ([2, 3, 0, 1, 0], []),
        ([], []),
    ):
        same(f"match({prompt})", mine.match(list(prompt), known, 2), blocks)
    gap = {(0, 1, 2, 3): 7}  # the first block was evicted
    same("match([0, 1, 2, 3, 4], known={(0, 1, 2, 3): 7})", mine.match([0, 1, 2, 3, 4], gap, 2), [])
    chance, pool, known = random.Random(0), BlockPool(400), {}
    cache = PrefixCache(pool, 3)
    for _ in range(40):
        prompt = [chance.randrange(2) for _ in range(chance.randrange(1, 12))]
        sequence = Sequence(pool, 3, cache)
        place = f"match({prompt}, known, 3), seed 0"
        same(place, mine.match(prompt, known, 3), cache.match(prompt))
        sequence.append(prompt)
        mine.remember(prompt, sequence.block_table, known, 3)
