"""Temperature and top-p: what is kept, what each is drawn with, and that the draws follow it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.reference.sampling import log_softmax, probabilities, sample_token

LOGITS = st.lists(st.floats(-60, 60), min_size=1, max_size=12).map(np.array)


@given(LOGITS, st.floats(0.05, 5))
def test_temperature_is_a_softmax_of_what_it_divides(logits: np.ndarray, heat: float) -> None:
    p = probabilities(logits, heat)
    exponents = np.exp((logits - logits.max()) / heat)
    np.testing.assert_allclose(p, exponents / exponents.sum(), rtol=1e-9, atol=1e-300)


@given(LOGITS, st.floats(0.01, 1))
def test_top_p_keeps_the_fewest_that_reach_it(logits: np.ndarray, top_p: float) -> None:
    whole, cut = probabilities(logits), probabilities(logits, top_p=top_p)
    kept = cut > 0
    assert cut.sum() == pytest.approx(1)
    assert whole[kept].sum() >= top_p - 1e-9
    if kept.sum() > 1:  # without its least likely one it would not reach it
        assert whole[kept].sum() - whole[kept].min() < top_p + 1e-9
    assert whole[kept].min() >= whole[~kept].max(initial=0)
    np.testing.assert_allclose(cut[kept] * whole[kept].sum(), whole[kept], rtol=1e-9)


def test_draws_follow_the_probabilities() -> None:
    logits, rng = np.array([1.0, 3.0, 2.0, -4.0], np.float32), np.random.default_rng(0)
    drawn = (
        np.bincount([sample_token(logits, rng, 1.5, 0.9) for _ in range(4000)], minlength=4) / 4000
    )
    np.testing.assert_allclose(drawn, probabilities(logits, 1.5, 0.9), atol=0.03)
    assert drawn[3] == 0


def test_a_cold_draw_is_the_likeliest() -> None:
    rng = np.random.default_rng(0)
    for heat in (1e-4, 1e-308):
        assert {sample_token(np.array([1.0, 2.0, 1.5]), rng, heat) for _ in range(50)} == {1}


@pytest.mark.parametrize(("heat", "top_p"), [(0, 1), (-1, 1), (float("nan"), 1), (1, 0), (1, 1.1)])
def test_what_is_no_temperature_and_no_share(heat: float, top_p: float) -> None:
    with pytest.raises(ValueError, match="must be above 0"):
        probabilities(np.array([1.0]), heat, top_p)


def test_a_sum_that_is_reached_exactly_is_reached() -> None:
    logits = np.log([0.7, 0.2, 0.1])
    np.testing.assert_allclose(probabilities(logits, top_p=0.9), [7 / 9, 2 / 9, 0])
    np.testing.assert_allclose(probabilities(logits, top_p=0.7), [1, 0, 0])
    np.testing.assert_allclose(probabilities(np.zeros(10), top_p=0.3)[2:5], [1 / 3, 0, 0])


def test_the_logarithm_of_each_row_of_a_matrix() -> None:
    matrix = np.array([[1.0, 2.0, 4.0], [1e4, 0.0, -1e4], [-3.0, -3.0, -3.0]])
    found = log_softmax(matrix)
    assert found.shape == (3, 3)
    np.testing.assert_allclose(np.exp(found).sum(axis=-1), 1)
    for row, expected in zip(found, map(log_softmax, matrix), strict=True):
        np.testing.assert_array_equal(row, expected)
    np.testing.assert_allclose(found[0], matrix[0] - np.log(np.exp(matrix[0]).sum()))
