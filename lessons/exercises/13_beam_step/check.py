"""A table of the lesson's kind, equal scores, and random ones."""

import numpy as np

from walkthrough.exercises import same

NAMES = ("parent", "token", "score")


def expected(scores, log_p, width):
    sums = np.asarray(scores)[:, None] + log_p  # (beams, vocabulary)
    order = np.argsort(-sums, axis=None, kind="stable")[:width].tolist()
    beams = [divmod(place, log_p.shape[1]) for place in order]
    return [(parent, token, sums[parent, token]) for parent, token in beams]


def check(mine):
    halves = np.array([[-1.0, -2.0, -1.5], [-0.5, -1.0, -1.0]])
    cases = [
        ([0.0], halves[:1], 1),
        ([0.0], halves[:1], 3),
        ([-1.0, -1.5], halves, 2),  # equal sums
        ([-1.0, -1.5], halves, 5),
        ([-9.0, 0.0], halves, 4),  # more than one child of a beam
    ]
    rng = np.random.default_rng(0)
    cases += [(rng.normal(size=3), rng.normal(size=(3, 5)), 4) for _ in range(5)]
    for number, (scores, log_p, width) in enumerate(cases):
        got = mine.best_candidates(list(scores), log_p.copy(), width)
        places = [f"candidate {i + 1}" for i in range(width)]
        want = expected(scores, log_p, width)
        same(f"best_candidates #{number + 1} (width={width})", got, want, places, NAMES)
