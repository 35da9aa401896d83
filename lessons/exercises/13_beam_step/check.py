"""A table of the lesson's kind, equal scores, and random ones."""

import numpy as np

from walkthrough.exercises import same

MINUTES = 15
DIFFICULTY = 2
NAMES = ("parent", "token", "score")


def expected(scores, log_p, width):
    sums = np.asarray(scores)[:, None] + log_p  # (beams, vocabulary)
    order = np.argsort(-sums, axis=None, kind="stable")[:width].tolist()
    beams = [divmod(place, log_p.shape[1]) for place in order]
    return [(parent, token, sums[parent, token]) for parent, token in beams]


def check(mine):
    one, two = [[-1.0, -2.0, -1.5]], [[-1.0, -2.0, -1.5], [-0.5, -1.0, -1.0]]
    for scores, rows, width in (
        ([0.0], one, 1),
        ([0.0], one, 3),
        ([-1.0, -1.5], two, 2),  # equal sums
        ([-1.0, -1.5], two, 5),
        ([-9.0, 0.0], two, 3),  # all of them children of one beam
        ([0.0, 0.0], [[-1.0, -2.0], [-2.0, -1.0]], 4),
    ):
        got = mine.best_candidates(list(scores), np.array(rows), width)
        place = f"best_candidates({scores}, {rows}, {width})"
        same(place, got, expected(scores, np.array(rows), width), range(width), NAMES)
    rng = np.random.default_rng(0)
    for _ in range(5):
        scores, log_p = rng.normal(size=3), rng.normal(size=(3, 5))
        got = mine.best_candidates(scores.tolist(), log_p, 4)
        place = f"best_candidates(log_p: {log_p.shape}, width=4), seed 0"
        same(place, got, expected(scores, log_p, 4), range(4), NAMES)
