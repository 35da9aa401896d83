import numpy as np


def split_heads(X, h):
    n = len(X)
    return X.reshape(n, h, -1).transpose(1, 0, 2)


def join_heads(heads):
    h, n, d_k = heads.shape
    return heads.transpose(1, 0, 2).reshape(n, h * d_k)


def multi_head(attend, Q, K, V, W_O):
    outputs = np.array([attend(q, k, v) for q, k, v in zip(Q, K, V, strict=True)])
    return join_heads(outputs) @ W_O
