"""Numbers that say where they stand, the example's two heads, then random heads with seed 0."""

import numpy as np

from walkthrough import example
from walkthrough.exercises import same
from walkthrough.reference import attention as A

MINUTES = 15
DIFFICULTY = 2


def attend(q, k, v):
    return A.attend(q, k, v, A.causal_mask(len(q), len(k))).output


def check(mine):
    for n, h, d_k in ((1, 1, 2), (3, 2, 2), (2, 3, 1), (4, 3, 2)):
        X = np.arange(n * h * d_k).reshape(n, h * d_k)
        heads = np.array([X[:, i * d_k : (i + 1) * d_k] for i in range(h)])
        place = f"a (n, h · d_k) array with n={n}, h={h}, d_k={d_k}"
        same(f"split_heads(X, {h})  # {place}", mine.split_heads(X.copy(), h), heads)
        same(f"join_heads(heads)  # of {place}", mine.join_heads(heads.copy()), X)
    ex = example()
    X = ex.embed(ex.texts(ex.ids(ex.prompt)))
    Q, K, V = (np.array([A.project(X, W) for W in all_W]) for all_W in (ex.W_Q, ex.W_K, ex.W_V))
    W_O = ex.model.layers[0].W_O
    outputs = [attend(*rows) for rows in zip(Q, K, V, strict=True)]
    got = mine.multi_head(attend, Q, K, V, W_O)
    same("multi_head  # the example", got, A.beside(outputs) @ W_O)
    rng = np.random.default_rng(0)
    for h, n, d_k, d_model in ((1, 3, 2, 4), (3, 5, 2, 4), (4, 2, 3, 5)):
        Q, K, V = rng.normal(size=(3, h, n, d_k))
        W_O = rng.normal(size=(h * d_k, d_model))
        outputs = [attend(*rows) for rows in zip(Q, K, V, strict=True)]
        got = mine.multi_head(attend, Q, K, V, W_O)
        place = f"multi_head  # h={h}, n={n}, d_k={d_k}, d_model={d_model}, seed 0"
        same(place, got, A.beside(outputs) @ W_O)
