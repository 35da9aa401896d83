"""All lines of the text's table, and two that it does not have."""

from walkthrough.exercises import same
from walkthrough.reference import score_flops

MINUTES = 10
DIFFICULTY = 1


def check(mine):
    for n, d in ((10, 64), (100, 64), (1000, 64), (4096, 64), (7, 3), (1, 5)):
        without, with_cache = score_flops(n, n, d), score_flops(1, n, d)
        row = mine.flops_row(n, d)
        expected = (without, with_cache, 100 * (1 - with_cache / without))
        same(f"flops_row({n}, {d})", row, expected, ("no cache", "cache", "% saved"))
