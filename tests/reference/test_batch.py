"""Several sequences at once: one that cannot be fed leaves all as they were."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.models import random_model

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.batch import BatchCache, next_logits_each
from walkthrough.reference.cache import CacheFullError, ContiguousCache, NoCache
from walkthrough.reference.model import next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage

MODEL = random_model(np.random.default_rng(5), layers=2, h=2, h_kv=1, d_k=2)


def caches(kind: str, count: int) -> list[ContiguousCache] | list[PagedCache]:
    if kind == "contiguous":
        return [ContiguousCache(4, 2, layers=2) for _ in range(count)]
    pool = BlockPool(30)
    storage = PagedStorage(30, 2, 2, layers=2)
    return [GatheredCache(storage, Sequence(pool, 2)) for _ in range(count)]


@pytest.mark.parametrize("kind", ["contiguous", "paged"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_refused_one_takes_nothing_from_those_that_were_fed_before(kind: str, place: int) -> None:
    """Neither from those before it in the step, nor from those behind it, fed a step earlier."""
    made = caches(kind, 3)
    next_logits_each(MODEL, [[1, 2], [3], [4, 5]], made)
    fed = [[1], [2], [3]]
    fed[place] = [-1]
    with pytest.raises(ValueError, match="token id -1 is not one of 0 … 6"):
        next_logits_each(MODEL, fed, made)
    assert [cache.num_computed_tokens for cache in made] == [2, 1, 2]
    rows = next_logits_each(MODEL, [[1], [2], [3]], made)
    for row, whole in zip(rows, ([1, 2, 1], [3, 2], [4, 5, 3]), strict=True):
        np.testing.assert_allclose(row, next_logits(MODEL, whole, NoCache()), atol=1e-10)


def test_a_full_one_takes_nothing_from_the_others() -> None:
    made = caches("contiguous", 2)
    next_logits_each(MODEL, [[1], [1, 2, 3, 4]], made)
    with pytest.raises(CacheFullError):
        next_logits_each(MODEL, [[1], [2]], made)
    assert [cache.num_computed_tokens for cache in made] == [1, 4]


@pytest.mark.parametrize("fed", [[[1]], [[1], [2], [3]]])
def test_as_many_lists_of_tokens_as_caches(fed: list[list[int]]) -> None:
    made = caches("paged", 2)
    with pytest.raises(ValueError, match=r"shorter|longer"):
        next_logits_each(MODEL, fed, made)
    assert [cache.num_computed_tokens for cache in made] == [0, 0]
    with pytest.raises(ValueError, match=r"shorter|longer"):
        BatchCache(made, [len(tokens) for tokens in fed])
