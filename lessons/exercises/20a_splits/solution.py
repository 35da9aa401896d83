import numpy as np


def split(q, K, V):
    if len(K) == 0:
        return np.zeros(len(q)), -np.inf
    scores = K @ q / np.sqrt(len(q))
    m = scores.max()
    weights = np.exp(scores - m)
    return weights @ V / weights.sum(), m + np.log(weights.sum())


def merge(outputs, sums):
    m = sums.max()
    weights = np.exp(sums - m)
    return weights @ outputs / weights.sum(), m + np.log(weights.sum())


def spans(n, count, tile):
    tiles = -(-n // tile)  # rounded up
    each = -(-tiles // count) * tile
    return [(min(i * each, n), min((i + 1) * each, n)) for i in range(count)]
