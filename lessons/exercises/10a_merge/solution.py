import math

import numpy as np


def part(q, K, V):
    scores = K @ q / math.sqrt(len(q))  # (rows,)
    m = scores.max()
    exponentials = np.exp(scores - m)
    return m, exponentials.sum(), exponentials @ V


def merge(a, b):
    m = max(a[0], b[0])
    rescale_a, rescale_b = math.exp(a[0] - m), math.exp(b[0] - m)
    l = a[1] * rescale_a + b[1] * rescale_b
    o = a[2] * rescale_a + b[2] * rescale_b
    return m, l, o


def finish(whole):
    _, l, o = whole
    return o / l
