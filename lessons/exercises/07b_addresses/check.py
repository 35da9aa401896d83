"""The strides that NumPy has for the same shape, every row of a small cache, and its edges."""

import numpy as np

from walkthrough.exercises import raises, same

MINUTES = 15
DIFFICULTY = 2
AXES = ("to the next layer", "slot", "head", "number")


def check(mine):
    for slots, h_kv, d_k, dtype in ((4, 2, 3, "f8"), (5, 1, 2, "f4"), (1, 3, 4, "f2")):
        cache = np.zeros((3, slots, h_kv, d_k), dtype)
        sizes = slots, h_kv, d_k, cache.itemsize
        same(f"strides{sizes}", mine.strides(*sizes), cache.strides, AXES)
        start = cache.__array_interface__["data"][0]
        for layer, slot, head in np.ndindex(3, slots, h_kv):
            row = cache[layer, slot, head].__array_interface__["data"][0] - start
            arguments = (layer, slot, head, *sizes)
            same(f"address{arguments}", mine.address(*arguments), row)
        for place in ((0, slots, 0), (0, -1, 0), (0, 0, h_kv), (0, 0, -1), (-1, 0, 0)):
            arguments = (*place, *sizes)
            raises(ValueError, f"address{arguments}", mine.address, *arguments)
    for n, h_kv, d_k, size in ((1, 2, 4, 2), (16, 8, 128, 2), (16, 1, 64, 4), (3, 2, 5, 8)):
        for heads_first in (False, True):
            one = heads_first or h_kv == 1
            expected = (1, n * d_k * size) if one else (n, d_k * size)
            place = f"pieces({n}, {h_kv}, {d_k}, {size}, {heads_first})"
            same(place, mine.pieces(n, h_kv, d_k, size, heads_first), expected)
