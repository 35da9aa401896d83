"""Factors of 0, 1 and between, large scores, then blocks through one buffer, with seed 0."""

import numpy as np

from walkthrough.document import printed
from walkthrough.exercises import same
from walkthrough.reference import attend

MINUTES = 20
DIFFICULTY = 3


class Reader:
    """Blocks of a pool, each read into the same two buffers."""

    def __init__(self, K, V, table, block_size):
        self.rows, self.table, self.size, self.seen = (K, V), table, block_size, []
        self.buffers = [np.full((block_size, K.shape[1]), np.nan) for _ in "KV"]

    def __call__(self, block):
        self.seen.append(int(block))
        start = self.table.index(block) * self.size
        for buffer, rows in zip(self.buffers, self.rows, strict=True):
            part = rows[start : start + self.size]
            buffer[:] = np.nan
            buffer[: len(part)] = part
        return tuple(self.buffers)


def check(mine):
    for old, scores in ((-np.inf, [0.5, 2.0]), (1.0, [0.0, 1.0]), (1.0, [3.0]), (800.0, [799.0])):
        scores, V = np.array(scores), np.array([[1.0, 2.0], [3.0, 5.0]])[: len(scores)]
        l, o = (0.0, np.zeros(2)) if old == -np.inf else (2.0, np.array([2.0, 4.0]))
        m = max(old, *scores)
        factor, weights = np.exp(old - m), np.exp(scores - m)
        expected = (m, l * factor + weights.sum(), o * factor + weights @ V)
        place = f"update({old}, {l}, {o.tolist()}, {scores.tolist()}, {V.tolist()})"
        got = mine.update(old, l, o, scores, V)
        for name, a, b in zip("mlo", got, expected, strict=True):
            same(f"{place}, {name}", a, b)
    q, K, V = printed("Q")[2], printed("K"), printed("V")
    rng = np.random.default_rng(0)
    cases = [(q, K, V, size, table) for size, table in ((1, [4, 8, 2]), (2, [7, 3]), (3, [5]))]
    for size, length in ((4, 11), (4, 12), (4, 1), (2, 10)):
        q, K, V = rng.normal(size=3), *rng.normal(size=(2, length, 3))
        table = rng.permutation(np.arange(1, 9))[: -(-length // size)].tolist()
        cases.append((q, 40 * K, V, size, table))
    for q, K, V, size, table in cases:
        read = Reader(K, V, table, size)
        got = mine.attend(q, read, list(table), len(K), size)
        place = f"attend(block_table={table}, seq_len={len(K)}, block_size={size})"
        same(f"the blocks that {place} read", read.seen, table)
        same(place, got, attend(q[None], K, V).output[0])
