"""Choosing a token by chance: temperature and nucleus (top-p) sampling.

Source: Holtzman et al., "The Curious Case of Neural Text Degeneration" (2020).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from walkthrough.reference.work import Array


def log_softmax(logits: Array) -> Array:
    """Logarithm of the softmax over the last axis; does not overflow. Same shape."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_p: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return log_p


def probabilities(
    logits: Array, temperature: float = 1.0, top_p: float = 1.0
) -> NDArray[np.float64]:
    """What each token is drawn with: logits (vocabulary,) → same, float64, sums to 1.

    A low temperature sharpens the differences. Of the likeliest tokens, so many are kept as
    together reach `top_p`; the others get 0.
    """
    if not temperature > 0 or not 0 < top_p <= 1:
        raise ValueError(f"temperature {temperature} must be above 0, top_p {top_p} in (0, 1]")
    wide = logits.astype(np.float64)
    with np.errstate(over="ignore"):  # −∞ gives the right 0
        p = np.exp(log_softmax((wide - wide.max()) / temperature))
    if top_p < 1:
        order = np.argsort(-p, kind="stable")
        before = np.round(np.cumsum(p[order]) - p[order], 9)  # of all likelier; 0.7 + 0.2 is 0.9
        p[order[before >= top_p]] = 0
    return np.asarray(p / p.sum())


def sample_token(
    logits: Array, rng: np.random.Generator, temperature: float = 1.0, top_p: float = 1.0
) -> int:
    """A token drawn by its probability; logits (vocabulary,)."""
    p = probabilities(logits, temperature, top_p)
    return int(rng.choice(len(p), p=p))
