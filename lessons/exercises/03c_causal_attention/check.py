"""The document's prompt and three tokens, small rows that are shown, then scores above 1,000."""

import numpy as np

from walkthrough.document import document, printed
from walkthrough.exercises import same
from walkthrough.reference import attend, causal_mask

MINUTES = 15
DIFFICULTY = 2


def expected(Q, K, V):
    return attend(Q, K, V, causal_mask(len(Q), len(K))).output


def check(mine):
    tokens = document().tokens[:3]
    Q, K, V = printed("Q"), printed("K"), printed("V")
    for first, last in ((0, 2), (0, 3), (2, 3)):
        parts = Q[first:last], K[:last], V[:last]
        same("output", mine.causal_attention(*parts), expected(*parts), tokens[first:last])
    for Q, K, V in (
        ([[1.0]], [[1.0]], [[5.0]]),
        ([[1.0], [2.0]], [[0.0], [1.0], [2.0]], [[1.0], [2.0], [4.0]]),
        ([[1.0, 2.0, 0.0]], [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]], [[1.0, 2.0, 3.0], [3.0, 0.0, 1.0]]),
        ([[1.0], [2000.0]], [[1.0], [1.0]], [[3.0], [4.0]]),  # e^2000 is beyond a float
        ([[-9000.0], [9.0]], [[1.0], [2.0]], [[3.0], [4.0]]),  # and rows that lie far apart
    ):
        place = f"causal_attention({Q}, {K}, {V})"
        arrays = [np.array(rows) for rows in (Q, K, V)]
        same(place, mine.causal_attention(*arrays), expected(*arrays))
    rng = np.random.default_rng(0)
    for n, m, d_k in ((2, 5, 3), (4, 4, 1)):
        Q, K, V = 100 * rng.normal(size=(n, d_k)), *rng.normal(size=(2, m, d_k))
        place = f"causal_attention(Q: {Q.shape}, K: {K.shape}), seed 0"
        same(place, mine.causal_attention(Q, K, V), expected(Q, K, V))
