"""Attention: the document's figures, and the properties that hold for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.document.example import Example
from walkthrough.reference import attention as A
from walkthrough.reference import parts

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 9)


def random_qkv(seed: int, n: int, m: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.normal(size=(m, d))


def slow_attention(Q: np.ndarray, K: np.ndarray, V: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The definition, written with loops and nothing of the module under test."""
    out = np.zeros((len(Q), V.shape[1]))
    for i, q in enumerate(Q):
        seen = [j for j in range(len(K)) if mask[i, j]]
        weights = [np.exp(sum(a * b for a, b in zip(q, K[j], strict=True)) / len(q) ** 0.5)
                   for j in seen]  # fmt: skip
        for weight, j in zip(weights, seen, strict=True):
            out[i] += weight / sum(weights) * V[j]
    return out


def test_the_documents_decode_step(ex: Example) -> None:
    tokens = ex.tokens[:3]
    Q, K, V = (A.project(ex.embed(tokens), W[0]) for W in (ex.W_Q, ex.W_K, ex.W_V))
    a = A.attend(Q[2:], K, V)
    np.testing.assert_array_equal(a.scores, [[4, 3, 4]])
    np.testing.assert_allclose(a.scaled, [[2.828427, 2.121320, 2.828427]], atol=5e-7)
    np.testing.assert_allclose(np.exp(a.scaled).sum(), 42.179802, atol=5e-7)
    np.testing.assert_allclose(a.weights, [[0.401112, 0.197776, 0.401112]], atol=5e-7)
    np.testing.assert_allclose(a.output, [[1.401112, 1.802224]], atol=5e-7)


@given(seeds, sizes, sizes, sizes)
def test_equals_the_definition_under_any_mask(seed: int, n: int, m: int, d: int) -> None:
    Q, K, V = random_qkv(seed, n, m, d)
    mask = np.random.default_rng(seed).random((n, m)) < 0.6
    expected = slow_attention(Q, K, V, mask)
    np.testing.assert_allclose(A.attend(Q, K, V, mask).output, expected, atol=1e-12)


@given(seeds, sizes, sizes)
def test_softmax_rows_sum_to_1_even_for_large_scores(seed: int, n: int, m: int) -> None:
    scores = np.random.default_rng(seed).normal(size=(n, m)) * 1e6
    weights = A.softmax(scores)
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    assert (weights >= 0).all()


def test_large_scores_do_not_overflow() -> None:
    np.testing.assert_allclose(A.softmax(np.array([[1e300, 0.0]])), [[1, 0]])
    assert np.isinf(A.exponentials(np.array([1000.0]))).all()  # the textbook's way does


def test_a_row_masked_whole_gives_zeros() -> None:
    Q, K, V = random_qkv(0, 2, 3, 4)
    mask = np.array([[False, False, False], [True, False, False]])
    a = A.attend(Q, K, V, mask)
    np.testing.assert_array_equal(a.output[0], 0)
    np.testing.assert_array_equal(a.weights[0], 0)
    np.testing.assert_allclose(a.output[1], V[0])


@given(seeds, st.integers(2, 9), sizes)
def test_causal_never_looks_ahead(seed: int, n: int, d: int) -> None:
    Q, K, V = random_qkv(seed, n, n, d)
    before = A.attend(Q, K, V, A.causal_mask(n, n)).output
    later = seed % (n - 1) + 1  # the token that changes
    for array in (Q, K, V):
        array[later] += 100.0
    after = A.attend(Q, K, V, A.causal_mask(n, n)).output
    np.testing.assert_array_equal(before[:later], after[:later])
    assert not np.array_equal(before[later:], after[later:])


def test_causal_mask_of_the_last_queries() -> None:
    np.testing.assert_array_equal(A.causal_mask(2, 4), [[1, 1, 1, 0], [1, 1, 1, 1]])
    with pytest.raises(ValueError, match="3 queries over 2 keys"):
        A.causal_mask(3, 2)


@given(seeds, sizes, sizes, sizes)
def test_nan_in_keys_that_nobody_sees(seed: int, n: int, m: int, d: int) -> None:
    Q, K, V = random_qkv(seed, n, m, d)
    expected = A.attend(Q, K, V).output
    junk = np.full((3, d), np.nan)
    mask = np.concatenate([np.ones((n, m), bool), np.zeros((n, 3), bool)], axis=1)
    for attended in (
        A.attend(Q, np.vstack([K, junk]), np.vstack([V, junk]), mask).output,
        parts.finish(parts.part(Q, np.vstack([K, junk]), np.vstack([V, junk]), mask)),
    ):
        np.testing.assert_allclose(attended, expected, atol=1e-12)


@settings(max_examples=200)
@given(seeds, sizes, sizes, sizes, st.data())
def test_parts_in_any_cut_and_order_equal_the_whole(
    seed: int, n: int, m: int, d: int, data: st.DataObject
) -> None:
    Q, K, V = random_qkv(seed, n, m, d)
    K *= 30  # scores far apart, so that a wrong rescaling shows
    mask = np.random.default_rng(seed).random((n, m)) < 0.7
    cuts = sorted(data.draw(st.lists(st.integers(0, m), max_size=4)))
    bounds = list(zip([0, *cuts], [*cuts, m], strict=True))  # slices may be empty
    slices = [parts.part(Q, K[a:b], V[a:b], mask[:, a:b]) for a, b in bounds]
    order = data.draw(st.permutations(range(len(slices))))
    merged = slices[order[0]]
    for i in order[1:]:
        merged = parts.merge(merged, slices[i])
    np.testing.assert_allclose(
        parts.finish(merged), A.attend(Q, K, V, mask).output, rtol=1e-10, atol=1e-12
    )


@given(seeds, st.integers(1, 4), st.integers(1, 4), sizes, sizes)
def test_grouped_heads_equal_each_head_alone(
    seed: int, h_kv: int, group: int, m: int, d: int
) -> None:
    rng = np.random.default_rng(seed)
    n, h = rng.integers(1, m + 1), h_kv * group
    Q = rng.normal(size=(n, h, d))
    K, V = rng.normal(size=(2, m, h_kv, d))
    mask = A.causal_mask(n, m)
    out = A.attend_heads(Q, K, V, mask)
    for g in range(h):
        alone = A.attend(Q[:, g], K[:, g // group], V[:, g // group], mask).output
        np.testing.assert_allclose(out[:, g], alone, atol=1e-12)


def test_errors_name_both_shapes() -> None:
    with pytest.raises(ValueError, match=r"X has shape \(2, 3\) and W \(4, 2\)"):
        A.project(np.ones((2, 3)), np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"K has shape \(3, 2\) and V \(4, 2\)"):
        A.attend(np.ones((1, 2)), np.ones((3, 2)), np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"mask has shape \(1, 2\)"):
        A.attend(np.ones((1, 2)), np.ones((3, 2)), np.ones((3, 2)), np.ones((1, 2), bool))
    with pytest.raises(ValueError, match="3 query heads cannot share 2"):
        A.attend_heads(np.ones((1, 3, 2)), np.ones((1, 2, 2)), np.ones((1, 2, 2)))
