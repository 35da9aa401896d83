import math

import numpy as np


def decode_step(x, W_Q, W_K, W_V, K, V):
    q, k, v = x @ W_Q, x @ W_K, x @ W_V  # (d_k,) each
    K, V = np.vstack([K, k]), np.vstack([V, v])  # (m + 1, d_k)
    scores = K @ q / math.sqrt(len(q))  # (m + 1,)
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum() @ V, K, V
