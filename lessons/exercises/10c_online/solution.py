import numpy as np


def update(m, l, o, scores, V):
    new_m = max(m, scores.max())
    shrink = np.exp(m - new_m)
    weights = np.exp(scores - new_m)
    return new_m, l * shrink + weights.sum(), o * shrink + weights @ V


def attend(q, read, block_table, seq_len, block_size):
    m, l, o = -np.inf, 0.0, np.zeros(len(q))
    for start in range(0, seq_len, block_size):
        K, V = read(block_table[start // block_size])
        used = min(block_size, seq_len - start)
        scores = K[:used] @ q / np.sqrt(len(q))
        m, l, o = update(m, l, o, scores, V[:used])
    return o / l
