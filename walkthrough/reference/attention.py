"""Scaled dot-product attention, one step a function, every intermediate kept.

    scores = Q·Kᵀ      scaled = scores / √d_k      weights = softmax(scaled)      output = weights·V

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1. Shapes: `n` new
tokens (queries), `m` keys, `d_k` numbers a row; leading axes (…), such as the heads, are
carried along.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from walkthrough.reference.computed import computed
from walkthrough.reference.work import Array, Work, matmul

Mask = NDArray[np.bool_]


def project(X: Array, W: Array, work: Work | None = None) -> Array:
    """Rows of X seen through W: (n, d_model) · (…, d_model, d_k) → (…, n, d_k)."""
    return matmul(X, W, work, ("X", "W"))


def raw_scores(Q: Array, K: Array, work: Work | None = None) -> Array:
    """Every query against every key: (…, n, d_k) · (…, m, d_k)ᵀ → (…, n, m).

    Half precision is widened to float32: it ends at 65,504, and ∞ − ∞ in a softmax is NaN.
    """
    if Q.dtype == np.float16:
        Q = Q.astype(np.float32)
    scores = matmul(Q, np.swapaxes(K, -1, -2), work, ("Q", "Kᵀ"), weights=False)
    if work is not None:
        work.score_entries += scores.size
    return scores


def scale(scores: Array, d_k: int) -> Array:
    """Scores divided by √d_k, which keeps their spread the same whatever d_k is. Same shape."""
    scaled: Array = scores / math.sqrt(d_k)
    if told := computed.get(None):
        told("scale", scaled, (scores,), root=d_k)
    return scaled


def causal_mask(n: int, m: int) -> Mask:
    """Which of m keys each of the **last** n tokens may see: (n, m), True = may be seen.

    The query in row i stands at position m − n + i and sees the keys up to its own position.
    """
    if n > m:
        raise ValueError(f"{n} queries over {m} keys: each query needs its own key among them")
    query_position = np.arange(m - n, m)[:, None]  # (n, 1)
    mask: Mask = np.arange(m)[None, :] <= query_position  # (n, m)
    if told := computed.get(None):
        told("given", mask, (), name="mask")
    return mask


def hide_nothing(n: int, m: int) -> Mask:
    """The mask with which n queries see all m keys: (n, m)."""
    mask = np.ones((n, m), dtype=np.bool_)
    if told := computed.get(None):
        told("given", mask, (), name="mask")
    return mask


def added(mask: Mask) -> Array:
    """A mask as a textbook adds it to the scores: 0 where seen, −∞ where not. Same shape."""
    numbers: Array = np.where(mask, 0.0, -np.inf)
    if told := computed.get(None):
        told("same", numbers, (mask,))
    return numbers


def apply_mask(scores: Array, mask: Mask) -> Array:
    """Scores with −∞ where the mask says no; whatever stood there, NaN included, is gone."""
    masked: Array = np.where(mask, scores, -np.inf)
    if told := computed.get(None):
        told("mask", masked, (scores, mask))
    return masked


def row_max(scores: Array) -> Array:
    """Largest score of each row: (…, n, m) → (…, n, 1); −∞ for a row that is masked whole."""
    largest: Array = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    if told := computed.get(None):
        told("rowmax", largest, (scores,))
    return largest


def exponentials(scores: Array, shift: Array | float = 0.0) -> Array:
    """e^(score − shift), same shape. With shift 0 as a textbook writes it: ∞ above 709.78.

    Shifting by `row_max` never overflows, and changes no weight: the factor e^(−shift)
    stands above and below the fraction bar. A shift of −∞ (a row masked whole) counts as 0:
    −∞ − (−∞) would be NaN, and the row is to give zeros.
    """
    finite = np.where(np.isneginf(shift), 0.0, shift)
    shifted: Array = scores - finite
    with np.errstate(over="ignore"):
        powers: Array = np.exp(shifted)
    if told := computed.get(None):
        if np.any(finite):
            told("subtract", shifted, (scores, shift))
        else:
            told("same", shifted, (scores,))
        told("exp", powers, (shifted,))
    return powers


def row_sums(exponents: Array) -> Array:
    """Sum of each row: (…, n, m) → (…, n, 1)."""
    sums: Array = exponents.sum(axis=-1, keepdims=True)
    if told := computed.get(None):
        told("rowsum", sums, (exponents,))
    return sums


def normalise(exponents: Array, sums: Array | None = None) -> Array:
    """Each row divided by its sum, so that it sums to 1; a row of zeros stays zeros.

    sums: `row_sums(exponents)`, (…, n, 1), where somebody has them already.
    """
    sums = row_sums(exponents) if sums is None else sums
    weights: Array = exponents / np.where(sums == 0, 1.0, sums)
    if told := computed.get(None):
        told("divide", weights, (exponents, sums))
    return weights


def softmax(scores: Array) -> Array:
    """Weights of each row: (…, n, m) → (…, n, m). Does not overflow."""
    return normalise(exponentials(scores, row_max(scores)))


def hide_unseen(V: Array, mask: Mask) -> Array:
    """V with zeros in the rows that no query may see, which may hold anything: 0 · NaN is NaN.

    V: (…, m, d_k), mask: (n, m) → (…, m, d_k).
    """
    seen = np.asarray(mask.any(axis=0))  # (m,)
    visible: Array = np.where(seen[:, None], V, 0.0)
    if seen.all() and (told := computed.get(None)):
        told("same", visible, (V,))
    return visible


def beside(heads: Sequence[Array]) -> Array:
    """Outputs of several heads side by side: h times (n, d_k) → (n, h · d_k)."""
    joined: Array = np.hstack(heads)
    if told := computed.get(None):
        told("beside", joined, tuple(heads))
    return joined


def output(weights: Array, V: Array, work: Work | None = None) -> Array:
    """The rows of V, mixed by the weights: (…, n, m) · (…, m, d_k) → (…, n, d_k)."""
    return matmul(weights, V, work, ("weights", "V"), weights=False)


@dataclass(frozen=True)
class Attention:
    """One attention with everything that was computed on the way; last axes (n, m) or (n, d_k)."""

    scores: Array  # (…, n, m)  Q·Kᵀ
    scaled: Array  # (…, n, m)  scores / √d_k
    mask: Mask  # (n, m)  True = may be seen
    masked: Array  # (…, n, m)  scaled, −∞ where masked
    row_max: Array  # (…, n, 1)
    exponentials: Array  # (…, n, m)  e^(masked − row_max)
    row_sums: Array  # (…, n, 1)
    weights: Array  # (…, n, m)
    output: Array  # (…, n, d_k)


def attend(
    Q: Array, K: Array, V: Array, mask: Mask | None = None, work: Work | None = None
) -> Attention:
    """Attention of n queries over m keys and values, step by step.

    Q: (…, n, d_k), K and V: (…, m, d_k), mask: (n, m), None to see all. Rows of K and V that no
    query may see may hold anything, NaN included.
    """
    n, m = Q.shape[-2], K.shape[-2]
    if V.shape[-2] != m:
        raise ValueError(f"K has shape {K.shape} and V {V.shape}: they must have as many rows")
    mask = hide_nothing(n, m) if mask is None else mask
    if mask.shape != (n, m):
        raise ValueError(f"the mask has shape {mask.shape}; {n} queries over {m} keys need {n, m}")
    if work is not None:
        work.kv_bytes_read += K.nbytes + V.nbytes
    scores = raw_scores(Q, K, work)  # (…, n, m)
    scaled = scale(scores, Q.shape[-1])
    masked = apply_mask(scaled, mask)
    largest = row_max(masked)  # (…, n, 1)
    exponents = exponentials(masked, largest)  # (…, n, m)
    sums = row_sums(exponents)  # (…, n, 1)
    weights = normalise(exponents, sums)
    return Attention(
        scores=scores,
        scaled=scaled,
        mask=mask,
        masked=masked,
        row_max=largest,
        exponentials=exponents,
        row_sums=sums,
        weights=weights,
        output=output(weights, hide_unseen(V, mask), work),
    )


def kv_heads(h: int, h_kv: int) -> NDArray[np.intp]:
    """The K/V head that each query head reads, g // (h / h_kv): (h,).

    Grouped-query attention, Ainslie et al. 2023; h_kv = h: one each. ValueError where h query
    heads cannot share h_kv evenly.
    """
    if h % h_kv:
        raise ValueError(f"{h} query heads cannot share {h_kv} K/V heads evenly")
    return np.arange(h) // (h // h_kv)


def attend_heads(
    Q: Array, K: Array, V: Array, mask: Mask | None = None, work: Work | None = None
) -> Array:
    """Attention of several heads over rows as a cache stores them, token first.

    Q: (n, h, d_k), K: (m, h_kv, d_k), V: (m, h_kv, d_v) → (n, h, d_v). Query head g reads K/V head
    g // (h / h_kv) (grouped-query attention, Ainslie et al. 2023; h_kv = h: one each).
    """
    n, h, d_k = Q.shape
    h_kv = K.shape[1]
    kv_heads(h, h_kv)  # raises where they cannot be shared
    # The query heads of one K/V head stand below one another, so that K and V are not repeated.
    rows = Q.reshape(n, h_kv, h // h_kv, d_k).transpose(1, 2, 0, 3).reshape(h_kv, -1, d_k)
    heads = attend(
        rows,  # (h_kv, h / h_kv · n, d_k)
        K.transpose(1, 0, 2),  # (h_kv, m, d_k)
        V.transpose(1, 0, 2),
        None if mask is None else np.tile(mask, (h // h_kv, 1)),  # (h / h_kv · n, m)
        work,
    )
    return heads.output.reshape(h, n, -1).transpose(1, 0, 2)
