"""The document's rows in blocks of every size and order, then random ones with padding."""

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend


def scattered(rows, block_size, table):
    """The rows in a pool of 9 blocks, where the table says; nan everywhere else."""
    pool = np.full((9, block_size, rows.shape[1]), np.nan)
    for position, row in enumerate(rows):
        pool[table[position // block_size], position % block_size] = row
    return pool


def check(mine):
    q, K, V = printed("Q")[2], printed("K"), printed("V")
    expected = attend(q[None], K, V).output[0]
    for size, table in ((2, [1, 2]), (2, [7, 3]), (1, [4, 8, 2]), (3, [5]), (16, [6])):
        pools = scattered(K, size, table), scattered(V, size, table)
        got = mine.paged_attention(q, *pools, table, 3)
        same(f"output (block_size={size}, block_table={table})", got, expected, (1, 2))
    rng = np.random.default_rng(0)
    for size, length in ((4, 11), (4, 12), (4, 1), (2, 10)):
        q, K, V = rng.normal(size=3), *rng.normal(size=(2, length, 3))
        table = rng.permutation(np.arange(1, 9))[: -(-length // size)].tolist()
        pools = scattered(9 * K, size, table), scattered(V, size, table)
        got = mine.paged_attention(q, *pools, [*table, 2**31 - 1, -1], length)
        place = f"output (block_size={size}, seq_len={length})"
        same(place, got, attend(q[None], 9 * K, V).output[0])
