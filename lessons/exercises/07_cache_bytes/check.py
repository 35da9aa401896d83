"""Published geometries, then memories that do not divide evenly."""

from walkthrough.exercises import same
from walkthrough.reference import GEOMETRIES


def check(mine):
    for name, g in GEOMETRIES.items():
        if g.latent is None:
            same(name, mine.bytes_per_token(g.layers, g.h_kv, g.d_k), g.bytes_per_token())
    same("bytes_per_token(1, 2, 2, 8)", mine.bytes_per_token(1, 2, 2, 8), 64)
    for memory, per_token, tokens in ((2**31, 524288, 4096), (1000, 64, 15), (63, 64, 0)):
        got = mine.tokens_that_fit(memory, per_token)
        same(f"tokens_that_fit({memory}, {per_token})", got, tokens)
