"""Caches and the model: what is cached changes nothing but the work."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.document.example import Example
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference import cost
from walkthrough.reference.attention import attend
from walkthrough.reference.cache import CacheFullError, ContiguousCache, KVCache, NoCache
from walkthrough.reference.model import forward, generate
from walkthrough.reference.paged import PagedCache, PagedStorage
from walkthrough.reference.work import Work


def contiguous(ex: Example, capacity: int = 16) -> ContiguousCache:
    return ContiguousCache(capacity, ex.d_k, h_kv=ex.heads)


@pytest.mark.parametrize("kind", ["none", "contiguous"])
def test_the_example_generates_its_sentence_and_stops(ex: Example, kind: str) -> None:
    cache: KVCache = NoCache() if kind == "none" else contiguous(ex)
    steps = list(generate(ex.model, ex.ids(ex.prompt), cache))
    assert ex.texts(step.next_token for step in steps) == ["간다", ".", "<EOS>"]


def test_the_choices_are_not_close_calls(ex: Example) -> None:
    for step in generate(ex.model, ex.ids(ex.prompt), NoCache()):
        best, second = sorted(step.logits[-1])[:-3:-1]
        assert best - second > 0.5  # no rounding on any machine changes the sentence


def test_counted_work_of_the_example(ex: Example) -> None:
    uncached = [s.work for s in generate(ex.model, ex.ids(ex.prompt), NoCache())]
    cached = [s.work for s in generate(ex.model, ex.ids(ex.prompt), contiguous(ex))]
    assert [(w.k_rows, w.v_rows) for w in uncached] == [(2, 2), (3, 3), (4, 4)]
    assert [(w.k_rows, w.v_rows) for w in cached] == [(2, 2), (1, 1), (1, 1)]
    assert [w.score_entries for w in uncached] == [2 * 4, 2 * 9, 2 * 16]  # two heads
    assert [w.score_entries for w in cached] == [2 * 4, 2 * 3, 2 * 4]


@pytest.mark.parametrize("cached", [False, True])
def test_counters_agree_with_the_formula(ex: Example, cached: bool) -> None:
    prompt = ex.ids(ex.prompt)
    cache: KVCache = contiguous(ex) if cached else NoCache()
    steps = list(generate(ex.model, prompt, cache))
    fed = sum(len(step.fed) for step in steps)
    heads = ex.heads * cost.generation_flops(
        len(prompt), len(steps), ex.d_model, ex.d_k, cached=cached
    )
    output_layers = 2 * fed * ex.d_model * (ex.heads * ex.d_k + len(ex.tokens))
    assert sum(step.work.flops for step in steps) == heads + output_layers


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 4),
    st.data(),
)
def test_cached_equals_uncached_however_the_tokens_are_fed(
    seed: int, layers: int, h_kv: int, group: int, d_k: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(rng, layers=layers, h=h_kv * group, h_kv=h_kv, d_k=d_k)
    tokens = rng.integers(0, 7, size=rng.integers(1, 12)).tolist()
    whole = forward(model, tokens, NoCache())
    cache = ContiguousCache(len(tokens), d_k, layers=layers, h_kv=h_kv)
    fed = 0
    while fed < len(tokens):
        n = data.draw(st.integers(1, len(tokens) - fed))
        logits = forward(model, tokens[fed : fed + n], cache)
        scale = np.abs(whole).max() + 1
        np.testing.assert_allclose(logits, whole[fed : fed + n], atol=1e-10 * scale)
        fed += n
    assert cache.num_computed_tokens == len(tokens)


def test_a_full_cache_refuses_and_keeps_what_it_has(ex: Example) -> None:
    cache = contiguous(ex, capacity=3)
    forward(ex.model, ex.ids(ex.prompt), cache)
    before = cache.K.copy()
    with pytest.raises(CacheFullError, match=r"capacity 3 tokens, 2 stored, no room for 2 more"):
        forward(ex.model, [2, 3], cache)
    assert cache.num_computed_tokens == 2
    np.testing.assert_array_equal(cache.K, before)
    forward(ex.model, [2], cache)  # one more still fits


def test_prefill_and_append(ex: Example) -> None:
    cache = ContiguousCache(3, 2)
    K, V = np.arange(4.0).reshape(2, 2), np.ones((2, 2))
    cache.prefill(K, V)
    cache.append(np.array([7.0, 8.0]), np.array([9.0, 9.0]))
    np.testing.assert_array_equal(cache.rows()[0], [[0, 1], [2, 3], [7, 8]])
    np.testing.assert_array_equal(cache.rows()[1], [[1, 1], [1, 1], [9, 9]])
    with pytest.raises(CacheFullError, match="no room for 1 more"):
        cache.append(np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="needs an empty cache, 3 tokens are stored"):
        cache.prefill(K, V)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (np.zeros(3), r"K has shape \(1, 1, 3\), expected \(1, 1, 2\)"),
        (np.array([0.0, np.nan]), "K is not finite in the row of new token 0"),
    ],
)
def test_a_refused_row_takes_no_slot(k: np.ndarray, message: str) -> None:
    cache = ContiguousCache(2, 2)
    with pytest.raises(ValueError, match=message):
        cache.append(k, np.zeros(2))
    assert cache.num_computed_tokens == 0


def test_a_refused_layer_or_row_gives_the_slots_back(ex: Example) -> None:
    cache = ContiguousCache(4, 2, layers=2)
    rows = np.zeros((1, 1, 2))
    for bad in (-1, 2):
        cache.extend([0])
        with pytest.raises(ValueError, match=f"layer {bad} is not one of 0 … 1"):
            cache.write(bad, rows, rows)
        assert cache.num_computed_tokens == 0
    with pytest.raises(ValueError, match="layer -1 is not one of"):
        cache.attend(-1, rows)
    with pytest.raises(ValueError, match="for one layer and one K/V head, not 2 and 1"):
        cache.prefill(np.zeros((1, 2)), np.zeros((1, 2)))
    uncached = NoCache()
    uncached.extend([0])
    with pytest.raises(ValueError, match="K is not finite in the row of new token 0"):
        uncached.write(0, rows + np.nan, rows)


def test_slots_are_given_back_once() -> None:
    pool = BlockPool(6)
    paged = PagedCache(PagedStorage(6, 2, 2), Sequence(pool, 2))
    for cache in (paged, ContiguousCache(8, 2)):
        for n in (3, 2):
            cache.extend([0] * n)
            cache.write(0, *np.ones((2, n, 1, 2)))
        for _ in range(3):
            cache.take_back()
            assert cache.num_computed_tokens == 3


def test_a_cache_that_already_holds_the_prompt(ex: Example) -> None:
    cache = contiguous(ex)
    forward(ex.model, ex.ids(ex.prompt), cache)
    with pytest.raises(ValueError, match="the cache holds 2 tokens already, the prompt has 2"):
        next(generate(ex.model, ex.ids(ex.prompt), cache))
    with pytest.raises(ValueError, match="no token to feed"):
        forward(ex.model, [], cache)


def test_bad_arguments(ex: Example) -> None:
    with pytest.raises(ValueError, match="capacity must be at least 1, got 0"):
        ContiguousCache(0, 2)
    with pytest.raises(ValueError, match="token id -1 is not one of 0 … 4"):
        forward(ex.model, [-1], NoCache())
    with pytest.raises(ValueError, match="the prompt is empty"):
        next(generate(ex.model, [], NoCache()))
    with pytest.raises(ValueError, match="'집에' is not one of the tokens"):
        ex.ids(["집에"])


def test_generation_ends_at_the_limit(ex: Example) -> None:
    assert len(list(generate(ex.model, ex.ids(ex.prompt), NoCache(), max_new_tokens=1))) == 1


def test_work_is_counted_by_the_products_themselves() -> None:
    done = Work()
    attend(np.ones((2, 5)), np.ones((3, 5)), np.ones((3, 5)), work=done)
    assert (done.score_entries, done.multiply_adds, done.flops) == (6, 2 * 3 * 5 * 2, 120)


def test_a_cache_for_a_single_token(ex: Example) -> None:
    cache = contiguous(ex, capacity=1)
    expected = forward(ex.model, [2], NoCache())
    np.testing.assert_allclose(forward(ex.model, [2], cache), expected, atol=1e-12)
    with pytest.raises(CacheFullError, match="capacity 1 tokens, 1 stored, no room for 1 more"):
        forward(ex.model, [2], cache)
    assert cache.num_computed_tokens == 1


def test_the_layer_behind_the_last_is_refused_when_asked_as_well() -> None:
    cache = ContiguousCache(4, 2, layers=2)
    for bad in (-1, 2):
        with pytest.raises(ValueError, match=f"layer {bad} is not one of 0 … 1"):
            cache.attend(bad, np.zeros((1, 1, 2)))
