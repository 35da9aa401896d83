import math


def scores(Q, K):
    return Q @ K.T / math.sqrt(Q.shape[1])  # (n, d_k) · (d_k, m) → (n, m)
