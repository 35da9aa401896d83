import numpy as np


def kv_heads_of(rank, world, h_kv):
    if h_kv % world:
        raise ValueError(f"{h_kv} heads do not split evenly over {world} ranks")
    share = h_kv // world
    return list(range(rank * share, (rank + 1) * share))


def query_heads_of(rank, world, h, h_kv):
    group = h // h_kv
    return [q for k in kv_heads_of(rank, world, h_kv) for q in range(k * group, (k + 1) * group)]


def add_up(outputs, W_O):
    total, start = 0, 0
    for output in outputs:
        rows = output.reshape(len(output), -1)
        total = total + rows @ W_O[start : start + rows.shape[1]]
        start += rows.shape[1]
    return total
