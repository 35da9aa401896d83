"""The exact law, by fractions: every path of the draws, for no guess, one, and two."""

from fractions import Fraction

from walkthrough.exercises import same
from walkthrough.reference import all_outcomes

MINUTES = 20
DIFFICULTY = 3
NAMES = "abc"
P = (
    [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)],  # behind a
    [Fraction(1, 6), Fraction(1, 2), Fraction(1, 3)],  # behind b
    [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],  # behind c
)
Q = (
    [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)],
    [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)],
)


def check(mine):
    sixths = [Fraction(3, 6), Fraction(2, 6), Fraction(1, 6)]
    for q, expected in (
        (Q[0], [1, 0, 0]),
        ([Fraction(1, 6), 0, Fraction(5, 6)], [Fraction(1, 2), Fraction(1, 2), 0]),
    ):
        place = f"residual([3/6, 2/6, 1/6], [{', '.join(map(str, q))}])"
        same(place, mine.residual(list(sixths), list(q)), expected, NAMES)
    for n in (0, 1, 2):
        lengths, law = laws(mine, n)
        place = f"guesses = {n}, probability of"
        for two, expected in alone().items():
            same(f"{place} {two}", law.get(two, 0), expected)
        for count, expected in enumerate(LENGTHS[n], start=1):
            same(f"{place} {count} tokens", lengths.get(count, 0), expected)


LENGTHS = (
    [1],
    [Fraction(1, 6), Fraction(5, 6)],
    [Fraction(1, 6), Fraction(1, 6), Fraction(2, 3)],
)


def alone():
    """The law of two tokens behind b, drawn one after the other."""
    return {NAMES[x] + NAMES[y]: P[1][x] * P[x][y] for x in range(3) for y in range(3)}


def laws(mine, n):
    """How many tokens come, and which two come first, each with its exact probability."""

    def run(draw):
        def honest(weights):
            weights = list(weights)
            same("sum(weights) of draw(weights)", sum(weights), 1)
            same("draw(weights): weights below 0", [w for w in weights if w < 0], [])
            return draw(weights)

        text = [1]
        for _ in range(n):
            text.append(draw(Q[text[-1]]))
        tokens = mine.speculative_step(
            text[1:], [Q[x] for x in text[:-1]], [P[x] for x in text], honest
        )
        return tuple(tokens)

    lengths, law = {}, {}
    for tokens, weight in all_outcomes(run).items():
        lengths[len(tokens)] = lengths.get(len(tokens), 0) + weight
        for following in range(3):  # a single token has its second in the next step
            if tokens:
                two = (*tokens, following)[:2]
                name = "".join(NAMES[x] for x in two)
                law[name] = law.get(name, 0) + weight * P[tokens[-1]][following]
    return lengths, law
