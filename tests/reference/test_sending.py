"""Prefill in one pool and decode in another: the numbers are those of one pool."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.models import random_model
from hypothesis import given, settings
from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.handover import receive
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.model import Model, greedy_tokens, next_logits
from walkthrough.reference.paged import PagedCache, PagedStorage, gather
from walkthrough.reference.sending import SendingCache, receive_layer
from walkthrough.reference.work import Array

D_K, H_KV = 3, 2


class Side:
    """A pool, its prefix cache and its numbers; others own some of its blocks."""

    def __init__(self, size: int, layers: int, taken: int) -> None:
        self.pool, self.size = BlockPool(60), size
        self.pool.get_new_blocks(taken)
        self.prefixes = PrefixCache(self.pool, size)
        self.storage = PagedStorage(60, size, D_K, layers=layers, h_kv=H_KV)

    def sequence(self) -> Sequence:
        return Sequence(self.pool, self.size, self.prefixes)


def handed_over(model: Model, prompt: list[int], here: Side, there: Side) -> tuple[list[int], int]:
    """The tokens that are decoded there, and how many blocks were sent in each layer."""
    target = there.sequence()
    known = receive(target, prompt)
    counts: list[int] = []

    def send(layer: int, K: Array, V: Array) -> None:
        assert layer == len(counts), "layer by layer, as they are computed"
        counts.append(len(K))
        receive_layer(there.storage, target, known, layer, K, V)

    source = here.sequence()
    source.reuse_prefix(prompt)
    cache = SendingCache(here.storage, source, known, send)
    tokens = [int(next_logits(model, prompt[len(source) :], cache).argmax())]
    for layer in range(len(model.layers)):
        for one, other in ((here.storage.K, there.storage.K), (here.storage.V, there.storage.V)):
            rows = [
                gather(pool[layer], table, len(prompt))
                for pool, table in ((one, source.block_table), (other, target.block_table))
            ]
            start = known * here.size  # what was known has been computed in another pass
            np.testing.assert_array_equal(*(r[start:] for r in rows))
            np.testing.assert_allclose(*rows)
    source.free()
    decoding = PagedCache(there.storage, target)
    while tokens[-1] != model.eos and len(tokens) < 6:
        tokens.append(int(next_logits(model, tokens[-1:], decoding).argmax()))
    target.free()
    assert set(counts) == {-(-len(prompt) // there.size) - known} or not counts
    return tokens, counts[0]


PROMPTS = st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=14), min_size=1, max_size=5)


@settings(max_examples=60)
@given(
    st.integers(1, 5), st.integers(1, 3), PROMPTS, st.integers(0, 9), st.integers(0, 9), st.data()
)
def test_tokens_and_rows_are_those_of_one_pool(
    size: int, layers: int, prompts: list[list[int]], mine: int, yours: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    model = random_model(rng, layers=layers, h=4, h_kv=H_KV, d_k=D_K)
    one, here, there = (Side(size, layers, taken) for taken in (0, mine, yours))
    for prompt in prompts:
        alone = one.sequence()
        alone.reuse_prefix(prompt)
        expected = greedy_tokens(model, prompt, PagedCache(one.storage, alone), 6)
        alone.free()
        tokens, _ = handed_over(model, prompt, here, there)
        assert tokens == expected
        again, sent = handed_over(model, prompt, here, there)
        assert (again, sent) == (tokens, -(len(prompt) // -size) - len(prompt) // size)
    assert (here.pool.num_used_blocks, there.pool.num_used_blocks) == (mine, yours)


def test_blocks_of_another_kind_are_refused_and_nothing_is_stored() -> None:
    there = Side(4, 2, 0)
    sequence = there.sequence()
    receive(sequence, range(6))
    good = np.zeros((2, 4, H_KV, D_K))
    for bad, message in (
        (good[:1], r"came as \(1, 4, 2, 3\)"),
        (good[:, :2], r"expected \(2, 4, 2, 3\)"),
        (good.astype(np.float32), "in float32, expected .* in float64"),
    ):
        for K, V in ((bad, good), (good, bad)):
            with pytest.raises(ValueError, match=message):
                receive_layer(there.storage, sequence, 0, 1, K, V)
    assert np.isnan(there.storage.K).all()
    assert np.isnan(there.storage.V).all()


def test_a_fork_sends_nothing() -> None:
    here = Side(4, 1, 0)
    sent: list[int] = []
    cache = SendingCache(here.storage, here.sequence(), 0, lambda layer, K, V: sent.append(layer))
    rows = np.ones((2, H_KV, D_K))
    for one in (cache, cache.fork()):
        one.extend([1, 2])
        one.write(0, rows, rows)
    assert sent == [0]
