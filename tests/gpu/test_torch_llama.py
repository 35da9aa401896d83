"""The llama in torch over the torch cache: the NumPy one's numbers, and the real one's tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.france import FRANCE_IDS, FRANCE_TOKENS
from helpers.gguf_files import write_llama

torch = pytest.importorskip("torch")

from gpu.cache import BatchCache, PagedCache  # noqa: E402
from gpu.llama import TorchLlama, over_blocks  # noqa: E402
from gpu.storage import PagedStorage, move_blocks  # noqa: E402
from walkthrough.llm.gguf_file import GGUFFile  # noqa: E402
from walkthrough.llm.loading import LanguageModelFile, read_llama  # noqa: E402
from walkthrough.paging.block_pool import BlockPool  # noqa: E402
from walkthrough.paging.scheduler import Scheduler  # noqa: E402
from walkthrough.reference.cache import NoCache  # noqa: E402
from walkthrough.reference.model import forward, greedy_tokens, next_logits  # noqa: E402
from walkthrough.reference.speculative.decoding import speculate  # noqa: E402
from walkthrough.reference.speculative.drafts import (  # noqa: E402
    ModelDraft,
    PromptLookup,
    fewer_layers,
)


def any_typed(value: Any) -> Any:
    """Generation is written for NumPy's arrays; torch's tensors have the same methods."""
    return value


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("size", [1, 3, 16])
def test_logits_are_those_of_numpy(size: int, tied: bool, tmp_path: Path) -> None:
    write_llama(tmp_path / "small.gguf", tied=tied)
    model = read_llama(GGUFFile(tmp_path / "small.gguf"))
    ids = [i * 7 % 60 for i in range(20)]
    tensors, cache = over_blocks(model, size, len(ids))
    expected = forward(model, ids, NoCache())
    got = [forward(any_typed(tensors), ids[a:b], any_typed(cache)) for a, b in ((0, 9), (9, 20))]
    np.testing.assert_allclose(np.concatenate(got), expected, atol=5e-5)


@pytest.mark.parametrize("size", [1, 3, 16])
def test_guesses_change_no_token(size: int, tmp_path: Path) -> None:
    write_llama(tmp_path / "small.gguf")
    model, prompt = read_llama(GGUFFile(tmp_path / "small.gguf")), [5, 9, 5]
    expected = greedy_tokens(model, prompt, NoCache(), 24)
    tensors, cache = over_blocks(model, size, 3 + 24)
    small, own = over_blocks(fewer_layers(model, [0, 1]), size, 3 + 24)
    drafts = [ModelDraft(any_typed(small), any_typed(own)), PromptLookup(model.vocabulary)]
    accepted = 0
    for draft in drafts:
        steps = list(speculate(any_typed(tensors), prompt, any_typed(cache), draft, 24))
        assert [token for step in steps for token in step.tokens] == expected
        assert cache.num_computed_tokens == 3 + 23
        accepted += sum(step.accepted for step in steps)
        cache.free()
    assert accepted > 0
    with pytest.raises(ValueError, match="cannot take back 1 of 0 stored tokens"):
        cache.roll_back(1)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 16, 24])
def test_tokens_of_the_real_one(size: int, smollm2_file: LanguageModelFile) -> None:
    tensors, cache = over_blocks(smollm2_file.model, size, 25, threads=1)
    model = any_typed(tensors)
    assert greedy_tokens(model, FRANCE_IDS, any_typed(cache), 20) == FRANCE_TOKENS


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 3])
def test_tokens_after_a_prefill_in_chunks_and_from_a_fork(
    chunk: int, smollm2_file: LanguageModelFile
) -> None:
    tensors, cache = over_blocks(smollm2_file.model, 16, 90, threads=1)
    model, parent = any_typed(tensors), any_typed(cache)
    for start in range(0, 4, chunk):  # the last token stays for generation
        next_logits(model, FRANCE_IDS[start : min(start + chunk, 4)], parent)
    child, stray = parent.fork(), parent.fork()
    next_logits(model, [11, 12, 13], stray)
    assert greedy_tokens(model, FRANCE_IDS, child, 10) == FRANCE_TOKENS[:10]
    assert greedy_tokens(model, FRANCE_IDS, parent, 20) == FRANCE_TOKENS


@pytest.mark.slow
@pytest.mark.parametrize("swap", [False, True], ids=["recomputed", "swapped"])
def test_tokens_after_preemption(swap: bool, smollm2_file: LanguageModelFile) -> None:
    torch.set_num_threads(1)
    model, size, pool = smollm2_file.model, 4, BlockPool(8)
    tensors = TorchLlama(model)
    shape = model.cache_shape | {"dtype": tensors.dtype}
    storage, host = PagedStorage(8, size, **shape), PagedStorage(8, size, **shape)
    scheduler = Scheduler(pool, size, token_budget=8, host=BlockPool(8) if swap else None)
    for name in ("first", "second"):
        scheduler.submit(name, FRANCE_IDS, 20)
    batch = BatchCache(storage)
    while scheduler.waiting or scheduler.running:
        step = scheduler.schedule()
        move_blocks(storage, host, step.swap_out)
        move_blocks(host, storage, step.swap_in)
        feed = [(request.sequence, len(ids)) for request, ids in step.feed]
        batch.fed(any_typed(feed))
        fed = [token for _, ids in step.feed for token in ids]
        positions = [p for one, n in feed for p in range(len(one) - n, len(one))]
        hidden = tensors.hidden(fed, positions, batch)
        last = np.cumsum([n for _, n in feed]) - 1
        chosen = tensors.logits(hidden[last]).argmax(-1).tolist()
        for (request, _), (sequence, _), token in zip(step.feed, feed, chosen, strict=True):
            whole = len(sequence) == len(request.token_ids)
            scheduler.advance(request, token if whole else None)
    assert [request.output for request in scheduler.finished] == [FRANCE_TOKENS] * 2
    assert sum(request.times_preempted for request in scheduler.finished) > 0


def test_a_fork_is_of_the_same_kind(tmp_path: Path) -> None:
    write_llama(tmp_path / "small.gguf")
    _, cache = over_blocks(read_llama(GGUFFile(tmp_path / "small.gguf")), 4, 20)
    assert isinstance(cache.fork(), PagedCache)
