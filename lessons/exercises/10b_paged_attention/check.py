"""The document's rows in blocks of every size and order, maxima that grow, then random rows."""

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend

MINUTES = 20
DIFFICULTY = 3


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
        same(f"paged_attention(block_size={size}, block_table={table})", got, expected)
    for q, keys in ((1, [0, 1, 2]), (1, [2, 1, 0]), (2000, [0, 1, 2]), (2000, [2, 1, 0])):
        K, V = np.array(keys)[:, None] * 1.0, np.array([[1.0], [2.0], [4.0]])
        query = np.array([1.0 * q])
        pools = scattered(K, 2, [5, 3]), scattered(V, 2, [5, 3])
        got = mine.paged_attention(query, *pools, [5, 3], 3)
        place = f"paged_attention(q=[{q}], keys={keys}, values=[1, 2, 4], block_table=[5, 3])"
        same(place, got, attend(query[None], K, V).output[0])
    rng = np.random.default_rng(0)
    for size, length in ((4, 11), (4, 12), (4, 1), (2, 10)):
        q, K, V = rng.normal(size=3), *rng.normal(size=(2, length, 3))
        table = rng.permutation(np.arange(1, 9))[: -(-length // size)].tolist()
        pools = scattered(9 * K, size, table), scattered(V, size, table)
        unused = [2**31 - 1, -1]  # behind the front of the table
        got = mine.paged_attention(q, *pools, [*table, *unused], length)
        place = f"paged_attention(block_size={size}, block_table={table}, seq_len={length}), seed 0"
        same(place, got, attend(q[None], 9 * K, V).output[0])
