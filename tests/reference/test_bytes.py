"""Bytes that are counted where they are read and written, against the roofline's formulas."""

from __future__ import annotations

import numpy as np
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.attention import attend
from walkthrough.reference.batch import next_logits_each
from walkthrough.reference.cache import ContiguousCache, KVCache, NoCache
from walkthrough.reference.cost import Geometry
from walkthrough.reference.model import Model, next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage
from walkthrough.reference.speed.roofline import StepCost, decode_load, prefill_load, step_cost
from walkthrough.reference.speed.shapes import ModelShape
from walkthrough.reference.work import Work

CACHES = ("none", "contiguous", "paged", "gathered")


def toy(layers: int, h: int, h_kv: int, d_k: int) -> Model:
    return random_model(np.random.default_rng(1), layers=layers, h=h, h_kv=h_kv, d_k=d_k)


def toy_shape(model: Model) -> ModelShape:
    """Its sizes: no feed-forward layer, no norms."""
    W = model.layers[0]
    h, d_model, d_k = W.W_Q.shape
    geometry = Geometry(len(model.layers), h, len(W.W_K), d_k, d_model, 99, "a/toy")
    return ModelShape(geometry, 0, model.vocabulary)


def make(kind: str, model: Model, block_size: int = 4) -> KVCache:
    W = model.layers[0].W_K
    sizes = {"d_k": W.shape[2], "layers": len(model.layers), "h_kv": W.shape[0]}
    if kind == "none":
        return NoCache()
    if kind == "contiguous":
        return ContiguousCache(40, **sizes)
    pool = BlockPool(20)
    cache = PagedCache if kind == "paged" else GatheredCache
    return cache(PagedStorage(20, block_size, **sizes), Sequence(pool, block_size))


def weights(shape: ModelShape, fed: int) -> int:
    """Bytes in float64: the matrices once, a row of the embedding for each token."""
    matrices = shape.linear_parameters + shape.output_parameters
    return 8 * (matrices + fed * shape.geometry.d_model)


def by_formula(shape: ModelShape, cost: StepCost, fed: int) -> tuple[float, ...]:
    return weights(shape, fed), cost.kv_bytes_read, cost.kv_bytes_written


def counted(work: Work) -> tuple[int, ...]:
    return work.weight_bytes_read, work.kv_bytes_read, work.kv_bytes_written


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 3), st.sampled_from([(1, 1), (4, 2), (6, 2)]), st.integers(1, 5),
    st.integers(1, 12), st.sampled_from(CACHES),
)  # fmt: skip
def test_a_prefill_and_a_decode_step(
    layers: int, heads: tuple[int, int], d_k: int, n: int, kind: str
) -> None:
    model = toy(layers, *heads, d_k)
    shape, cache = toy_shape(model), make(kind, model)
    work = Work()
    next_logits(model, [1] * n, cache, work)
    cost = step_cost(shape, prefill_load(n), kv_size=8)
    weights, read, written = by_formula(shape, cost, n)
    if kind == "paged":  # blocks are read whole
        read = read // n * (-(-n // 4) * 4)
    assert counted(work) == (weights, read, written)
    if kind == "none":
        return
    work = Work()
    next_logits(model, [2], cache, work)
    cost = step_cost(shape, decode_load(1, n + 1), kv_size=8)
    weights, read, written = by_formula(shape, cost, 1)
    if kind == "paged":
        read = read // (n + 1) * (-(-(n + 1) // 4) * 4)
    assert counted(work) == (weights, read, written)
    assert (work.flops == cost.flops) == (kind != "paged" or (n + 1) % 4 == 0)
    assert work.bytes_moved == work.bytes_read + written == weights + read + written
    assert work.intensity == work.flops / work.bytes_moved


def test_a_batch_reads_the_weights_once_and_everybodys_own_rows() -> None:
    model = toy(2, 4, 2, 3)
    shape = toy_shape(model)
    alone, together = Work(), Work()
    for work, batched in ((alone, False), (together, True)):
        caches = [make("contiguous", model) for _ in range(3)]
        for cache in caches:
            next_logits(model, [1, 2, 3, 4, 5], cache)
        if batched:
            next_logits_each(model, [[6]] * 3, caches, work)
        else:
            for cache in caches:
                next_logits(model, [6], cache, work)
    cost = step_cost(shape, decode_load(3, 6), kv_size=8)
    assert counted(together) == by_formula(shape, cost, 3)
    assert together.flops == alone.flops == cost.flops
    assert counted(together)[1:] == counted(alone)[1:]
    assert alone.weight_bytes_read == 3 * weights(shape, 1)
    assert together.intensity > alone.intensity


def test_blocks_that_are_there_already_are_read_and_not_written() -> None:
    model = toy(1, 2, 1, 3)
    cache = make("paged", model)
    assert isinstance(cache, PagedCache)
    work = Work()
    next_logits(model, [1] * 8, cache, work)
    other, more = cache.fork(), Work()
    next_logits(model, [2], other, more)
    row = 2 * 3 * 8
    assert work.kv_bytes_written == 8 * row and more.kv_bytes_written == row
    assert more.kv_bytes_read == 12 * row


def test_a_cache_of_narrower_numbers_is_read_in_these() -> None:
    K = np.ones((5, 4), np.float16)
    work = Work()
    attend(np.ones((1, 4)), K, K, work=work)
    assert (work.kv_bytes_read, work.weight_bytes_read) == (2 * 5 * 4 * 2, 0)
    assert Work().intensity == 0
