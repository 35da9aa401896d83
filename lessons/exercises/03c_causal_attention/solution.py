import math

import numpy as np


def causal_attention(Q, K, V):
    n, m = len(Q), len(K)
    scores = Q @ K.T / math.sqrt(Q.shape[1])  # (n, m)
    position = np.arange(m - n, m)[:, None]  # (n, 1)
    scores = np.where(np.arange(m) <= position, scores, -np.inf)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    return weights @ V  # (n, m) · (m, d_k) → (n, d_k)
