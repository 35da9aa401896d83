"""Attention in parts: the keys cut into slices, each attended alone, the results merged.

A part keeps, for every query, the largest score m, the sum l of e^(score − m), and the sum o
of e^(score − m) times the value. Two parts merge into exactly what the whole would have
given. Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018);
Dao et al., FlashAttention (2022), algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from walkthrough.reference.attention import (
    Mask,
    apply_mask,
    exponentials,
    hide_nothing,
    hide_unseen,
    output,
    raw_scores,
    row_max,
    row_sums,
    scale,
)
from walkthrough.reference.work import Array, Work


@dataclass(frozen=True)
class Part:
    """What one slice of the keys says. An empty slice, or one masked whole: (−∞, 0, 0)."""

    m: Array  # (…, n, 1)  running maximum
    l: Array  # (…, n, 1)  running sum  # noqa: E741 (the papers' own letter)
    o: Array  # (…, n, d_k)  weighted sum of V, not yet divided by l


def part(Q: Array, K: Array, V: Array, mask: Mask | None = None, work: Work | None = None) -> Part:
    """Attention of Q: (…, n, d_k) over one slice K, V: (…, m, d_k); mask: (n, m), None = all."""
    mask = hide_nothing(Q.shape[-2], K.shape[-2]) if mask is None else mask
    scores = apply_mask(scale(raw_scores(Q, K, work), Q.shape[-1]), mask)  # (…, n, m)
    m = row_max(scores)  # (…, n, 1)
    exponents = exponentials(scores, m)  # (…, n, m)
    o = output(exponents, hide_unseen(V, mask), work)  # (…, n, d_k)
    return Part(m, row_sums(exponents), o)


def merge(a: Part, b: Part) -> Part:
    """Two slices as one: both sums are brought to the larger maximum, then added."""
    m = np.maximum(a.m, b.m)
    rescale_a, rescale_b = exponentials(a.m, m), exponentials(b.m, m)  # (…, n, 1)
    return Part(m, a.l * rescale_a + b.l * rescale_b, a.o * rescale_a + b.o * rescale_b)


def finish(whole: Part) -> Array:
    """The attention output o / l: (…, n, d_k); zeros where nothing was seen."""
    return whole.o / np.where(whole.l == 0, 1.0, whole.l)
