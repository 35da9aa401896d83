"""Small whole numbers, sizes that all differ, then numbers that count their multiplications."""

import numpy as np

from walkthrough.exercises import same

MINUTES = 15
DIFFICULTY = 2


class Counted:
    """A number that notes each multiplication in a list."""

    def __init__(self, value, noted):
        self.value, self.noted = value, noted

    def __mul__(self, other):
        self.noted.append(1)
        return Counted(self.value * getattr(other, "value", other), self.noted)

    def __add__(self, other):
        return Counted(self.value + getattr(other, "value", other), self.noted)

    __rmul__, __radd__ = __mul__, __add__


def counted(array, noted):
    made = np.empty(array.shape, object)
    made.flat = [Counted(number, noted) for number in array.ravel().tolist()]
    return made


def check(mine):
    rng = np.random.default_rng(0)
    for m, d_c, d_h in ((1, 1, 1), (3, 2, 2), (4, 3, 2), (2, 2, 5)):
        q, W = rng.integers(-3, 4, d_h), rng.integers(-3, 4, (d_c, d_h))
        latents, weights = rng.integers(-3, 4, (m, d_c)), rng.integers(0, 3, m)
        place = f"{m} latents of {d_c}, a head of {d_h}"
        same(f"absorb(q, W_UK), {place}", mine.absorb(q, W), W @ q)
        same(f"scores(q, latents, W_UK), {place}", mine.scores(q, latents, W), latents @ W @ q)
        got = mine.output(weights, latents, W)
        same(f"output(weights, latents, W_UV), {place}", got, weights @ latents @ W)
    m, d_c, d_h = 30, 4, 6
    enough = d_c * d_h + m * d_c
    for name, left in (("scores", d_h), ("output", m)):
        noted = []
        sizes = ((left,), (m, d_c), (d_c, d_h))
        getattr(mine, name)(*(counted(rng.integers(1, 4, size), noted) for size in sizes))
        place = f"multiplications in {name}, {m} latents of {d_c}, a head of {d_h}"
        same(place, max(len(noted), enough), enough)
