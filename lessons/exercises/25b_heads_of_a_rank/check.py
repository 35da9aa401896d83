"""Heads of real models over ranks, then attention split over ranks beside one process's."""

import numpy as np

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Sequence
from walkthrough.reference import PagedCache, PagedStorage, attend_heads, causal_mask

MINUTES = 20
DIFFICULTY = 2
SIZES = ((4, 2, 2), (8, 4, 2), (6, 3, 3), (9, 3, 1), (32, 8, 4), (64, 8, 8), (2, 2, 2))


def check(mine):
    rng = np.random.default_rng(0)
    for h, h_kv, world in SIZES:
        shares = [list(mine.kv_heads_of(rank, world, h_kv)) for rank in range(world)]
        share, group = h_kv // world, h // h_kv
        for rank, own in enumerate(shares):
            first = rank * share
            place = f"kv_heads_of({rank}, {world}, {h_kv})"
            same(place, own, list(range(first, first + share)))
            place = f"query_heads_of({rank}, {world}, {h}, {h_kv})"
            queries = list(mine.query_heads_of(rank, world, h, h_kv))
            same(place, queries, list(range(first * group, (first + share) * group)))
    for world, h_kv in ((2, 3), (4, 2), (3, 8)):
        raises(ValueError, f"kv_heads_of(0, {world}, {h_kv})", mine.kv_heads_of, 0, world, h_kv)
    for h, h_kv, world in ((4, 2, 2), (6, 3, 3), (2, 2, 1)):
        n, d_k, d_model = 5, 3, 4
        Q = rng.normal(size=(n, h, d_k))
        K, V = rng.normal(size=(2, n, h_kv, d_k))
        W_O = rng.normal(size=(h * d_k, d_model))
        table, outputs = Sequence(BlockPool(9), 2), []
        table.append(range(n))
        for rank in range(world):
            own = mine.kv_heads_of(rank, world, h_kv)
            cache = PagedCache(PagedStorage(9, 2, d_k, h_kv=len(own)), table)
            cache.fed(n)
            cache.write(0, K[:, own], V[:, own])
            outputs.append(cache.attend(0, Q[:, mine.query_heads_of(rank, world, h, h_kv)]))
        whole = attend_heads(Q, K, V, causal_mask(n, n)).reshape(n, -1) @ W_O
        same(f"add_up(outputs, W_O) of {world} ranks, seed 0", mine.add_up(outputs, W_O), whole)
