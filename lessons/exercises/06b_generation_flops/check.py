"""The example's sums step by step, then the sizes of LLaMA-2 7B."""

from walkthrough.exercises import same
from walkthrough.reference import generation_flops

MINUTES = 12
DIFFICULTY = 2


def check(mine):
    for sizes in ((2, 1, 4, 2), (2, 2, 4, 2), (2, 3, 4, 2), (7, 5, 3, 11), (100, 100, 4096, 128)):
        for cached in (False, True):
            got = mine.generation_flops(*sizes, cached)
            place = f"generation_flops{(*sizes, cached)}"
            same(place, got, generation_flops(*sizes, cached=cached))
