"""Hashes that the pool remembers, prompts with gaps, and queues of free blocks, with seed 0."""

import random

from walkthrough.exercises import same
from walkthrough.paging import NONE_HASH, BlockPool, PrefixCache, Sequence

MINUTES = 20
DIFFICULTY = 3


def remembered(token_ids, block_size):
    """The hashes that the project's own pool remembers of a sequence's full blocks."""
    pool = BlockPool(len(token_ids) + 2)
    sequence = Sequence(pool, block_size, PrefixCache(pool, block_size))
    sequence.append(token_ids)
    return [pool.block_hash[block] for block in sequence.block_table if pool.block_hash[block]]


def check(mine):
    for token_ids, size in (([0, 1, 2, 3, 4], 2), ([7], 2), ([], 2), ([3, 3, 3, 300], 1)):
        place = f"block_hashes({token_ids}, {size}, NONE_HASH)"
        got = mine.block_hashes(list(token_ids), size, NONE_HASH)
        same(place, got, remembered(token_ids, size))
    one, other = mine.block_hashes([9, 9], 2, b"a"), mine.block_hashes([9, 9], 2, b"b")
    same("hashes of one block behind two others are equal", one == other, False)
    chain = remembered([0, 1, 2, 3, 4, 5], 2)
    for known, prompt, tokens in (
        (chain, [0, 1, 2, 3, 4, 5, 6], 6),
        (chain, [0, 1, 2, 3, 4, 5], 4),
        (chain, [0, 1, 9, 9, 4, 5, 6], 2),
        (chain, [9, 1, 2, 3, 4, 5, 6], 0),
        (chain[1:], [0, 1, 2, 3, 4, 5, 6], 0),
        (chain[::2], [0, 1, 2, 3, 4, 5, 6], 2),
        (chain, [0], 0),
    ):
        which = [i for i, value in enumerate(chain) if value in known]
        place = f"hit({prompt}), with blocks {which} of [0, 1, 2, 3, 4, 5] known"
        same(place, mine.hit(list(prompt), set(known), 2, NONE_HASH), tokens)
    for free, content, order in (
        ([1, 2, 3], set(), [3, 2, 1]),
        ([1, 2, 3], {1, 2, 3}, [1, 2, 3]),
        ([4, 1, 3, 2], {1, 2}, [3, 4, 1, 2]),
        ([], set(), []),
    ):
        same(f"hand_out({free}, {content})", mine.hand_out(list(free), set(content)), order)
    chance, pool = random.Random(0), BlockPool(12)
    prefixes = PrefixCache(pool, 2)
    came_back, running = [], [Sequence(pool, 2, prefixes) for _ in range(5)]
    for sequence, length in zip(running, (5, 4, 3, 6, 1), strict=True):
        sequence.append([chance.randrange(99) for _ in range(length)])
    pool.listeners.append(lambda event: event.kind == "freed" and came_back.append(event.block))
    for sequence in running:
        sequence.free()
    content = {block for block in came_back if pool.block_hash[block]}
    place = f"hand_out({came_back}, {content}), as the project's pool does it"
    same(place, mine.hand_out(came_back, content), pool.get_new_blocks(11))
