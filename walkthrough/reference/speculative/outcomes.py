"""All that can come out of something that draws, and how likely each is: exact, not sampled."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

from walkthrough.reference.speculative.acceptance import Draw, Law

Result = TypeVar("Result", bound=Hashable)


def all_outcomes(play: Callable[[Draw], Result]) -> dict[Result, Any]:
    """What `play` returns, with its probability, over all that its draws can come to.

    It is played once for each path through its draws, so that what it draws by must not depend on
    anything but these. With laws of fractions, the probabilities are fractions.
    """
    found: dict[Result, Any] = {}
    paths: list[list[int]] = [[]]
    while paths:
        path, taken, weight = paths.pop(), list[int](), 1

        def draw(law: Law, path: list[int] = path, taken: list[int] = taken) -> int:
            nonlocal weight
            possible = np.nonzero(law)[0].tolist()
            if len(taken) < len(path):
                index = path[len(taken)]
            else:  # a new place: go on with the first, and come back for the others
                index = possible[0]
                paths.extend([*taken, other] for other in possible[1:])
            taken.append(index)
            weight = weight * law[index]
            return index

        outcome = play(draw)
        found[outcome] = found.get(outcome, 0) + weight
    return found
