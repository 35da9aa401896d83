"""Which guessed tokens stand: the rule under which the law of the tokens stays the model's.

A guess x was drawn by q, the draft's law; p is the model's. It is accepted with min(1, p(x)/q(x));
else a token is drawn by the residual, (p − q)₊ over its sum. Then x comes out with

    min(p, q) + (1 − β) · (p − q)₊ / (1 − β) = p,   where β = Σ min(p, q) and Σ (p − q)₊ = 1 − β.

Source: Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding"
(2023), algorithm 1; Chen et al. (2023) alike. Nothing here rounds: laws of fractions stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Law = NDArray[Any]  # (vocabulary,): what each token is drawn with; floats, or Python's fractions
Draw = Callable[[Law], int]  # an index, drawn by the weights given


def chance(rng: np.random.Generator) -> Draw:
    """Draw by a generator of random numbers."""
    return lambda law: int(rng.choice(len(law), p=law / law.sum()))


def certain(law: Law) -> int:
    """The only index that can come out. Raises ValueError where several can."""
    (possible,) = np.nonzero(law)
    if len(possible) != 1:
        raise ValueError(f"{len(possible)} outcomes are possible: a draw by chance is needed")
    return int(possible[0])


def acceptance_rate(p: Law, q: Law) -> Any:
    """β = Σ min(p, q): how likely a guess drawn by q is accepted by p; both (vocabulary,)."""
    return np.minimum(p, q).sum()


def residual(p: Law, q: Law) -> Law:
    """What is drawn by where a guess is refused, (p − q)₊ over its sum: (vocabulary,) → same.

    Where p is below q nowhere but by rounding, it is p itself.
    """
    missing: Law = np.maximum(p - q, 0)
    total = missing.sum()
    return missing / total if total else p


def verify_guesses(guesses: Sequence[int], q: Law, p: Law, draw: Draw) -> list[int]:
    """The guesses that stand, up to the first refused one, and one token more: 1 … n + 1 of them.

    q: (n, vocabulary), the law that each guess was drawn by; p: (n + 1, vocabulary), the model's in
    the same places, and behind the last guess. Raises ValueError where q gives a guess no chance.
    """
    for i, x in enumerate(guesses):
        if not q[i][x] > 0:
            raise ValueError(
                f"guess {i + 1}, token {x}, cannot have been drawn: its q is {q[i][x]}"
            )
        if p[i][x] < q[i][x]:
            ratio = p[i][x] / q[i][x]
            if not draw(np.array([1 - ratio, ratio])):
                return [*guesses[:i], draw(residual(p[i], q[i]))]
    return [*guesses, draw(p[len(guesses)])]


def expected_tokens(alpha: Any, guesses: int) -> Any:
    """Tokens a run brings, where each guess is accepted with α: 1 + α + α² + … (eq. 1)."""
    return sum(alpha**i for i in range(guesses + 1))


def speed_up(alpha: float, guesses: int, draft_cost: float, verifying: float = 1.0) -> float:
    """How many times as fast as without guesses (theorem 3.8).

    `draft_cost`: a guess's time, `verifying`: that of a run over guesses + 1 tokens; both over the
    time of a run over one token. The theorem takes `verifying` as 1.
    """
    return float(expected_tokens(alpha, guesses)) / (guesses * draft_cost + verifying)
