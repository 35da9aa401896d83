"""Published geometries, then numbers of other sizes and memories that do not divide evenly."""

from walkthrough.exercises import same
from walkthrough.reference import GEOMETRIES

MINUTES = 8
DIFFICULTY = 1


def check(mine):
    for size, expected in ((2, 32), (8, 128), (1, 16)):
        place = f"bytes_per_token(1, 2, 4, {size})"
        same(place, mine.bytes_per_token(1, 2, 4, size), expected)
    for g in GEOMETRIES.values():
        if g.latent is None:
            place = f"bytes_per_token({g.layers}, {g.h_kv}, {g.d_k})"
            same(place, mine.bytes_per_token(g.layers, g.h_kv, g.d_k), g.bytes_per_token())
    for memory, per_token, tokens in ((2**31, 524288, 4096), (1000, 64, 15), (63, 64, 0)):
        got = mine.tokens_that_fit(memory, per_token)
        same(f"tokens_that_fit({memory}, {per_token})", got, tokens)
