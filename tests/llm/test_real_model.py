"""The real file: the same tokens through every cache, whole and in chunks, shared, preempted.

The expected tokens are those of transformers and of llama.cpp on the same weights in float32
(`test_peers.py` asks both again).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.france import FRANCE, FRANCE_IDS, FRANCE_TOKENS

from walkthrough.llm.generation import Asked
from walkthrough.llm.guessing import GuessTally, guessing_steps, paged_cache
from walkthrough.llm.loading import LanguageModelFile, parameters
from walkthrough.llm.threads import Threaded
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.scheduler import Scheduler
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.cache import ContiguousCache, KVCache, NoCache
from walkthrough.reference.decoding import beam_search, parallel_sampling
from walkthrough.reference.engine import serve
from walkthrough.reference.model import greedy_tokens, next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage

pytestmark = pytest.mark.slow


def paged(file: LanguageModelFile, size: int, kind: type[PagedCache] = PagedCache) -> PagedCache:
    pool = BlockPool(100 // size + 3)
    storage = PagedStorage(pool.num_blocks, size, **file.model.cache_shape)
    return kind(storage, Sequence(pool, size))


CACHES: dict[str, Callable[[LanguageModelFile], KVCache]] = {
    "none": lambda file: NoCache(),
    "contiguous": lambda file: ContiguousCache(24, **file.model.cache_shape),
    "blocks of 1": lambda file: paged(file, 1),
    "blocks of 16": lambda file: paged(file, 16),
    "blocks of 24": lambda file: paged(file, 24),
    "gathered, blocks of 1": lambda file: paged(file, 1, GatheredCache),
    "gathered, blocks of 16": lambda file: paged(file, 16, GatheredCache),
}


def test_the_file_is_what_the_card_says(smollm2_file: LanguageModelFile) -> None:
    model = smollm2_file.model
    assert parameters(model) == 134_515_008
    assert (len(model.layers), model.h, model.h_kv, model.d_k) == (30, 9, 3, 64)
    assert (model.embedding.shape, model.tied) == ((49152, 576), True)
    assert model.bytes_per_token == 2 * 30 * 3 * 64 * 4
    assert smollm2_file.ids(FRANCE) == FRANCE_IDS
    assert smollm2_file.text(FRANCE_IDS) == FRANCE
    assert smollm2_file.ids("2018 <|im_start|>") == [34, 32, 33, 40, 216, 1]  # digits stand alone


@pytest.mark.parametrize("name", CACHES)
def test_tokens_with_every_cache(name: str, smollm2_file: LanguageModelFile) -> None:
    model, cache = Threaded(smollm2_file.model, 1), CACHES[name](smollm2_file)
    assert greedy_tokens(model, FRANCE_IDS, cache, 20) == FRANCE_TOKENS


@pytest.mark.parametrize("chunk", [1, 2, 3])
def test_tokens_after_a_prefill_in_chunks(chunk: int, smollm2_file: LanguageModelFile) -> None:
    model, cache = Threaded(smollm2_file.model, 1), paged(smollm2_file, 16, GatheredCache)
    for start in range(0, 4, chunk):  # the last token stays for generation
        next_logits(model, FRANCE_IDS[start : min(start + chunk, 4)], cache)
    assert greedy_tokens(model, FRANCE_IDS, cache, 20) == FRANCE_TOKENS


@pytest.mark.parametrize("size", [1, 16, 24])
def test_tokens_from_a_fork(size: int, smollm2_file: LanguageModelFile) -> None:
    """A fork goes another way first, and writes into copies of its own."""
    model, parent = Threaded(smollm2_file.model, 1), paged(smollm2_file, size, GatheredCache)
    next_logits(model, FRANCE_IDS[:4], parent)
    child, stray = parent.fork(), parent.fork()
    next_logits(model, [11, 12, 13], stray)
    assert greedy_tokens(model, FRANCE_IDS, child, 10) == FRANCE_TOKENS[:10]
    assert greedy_tokens(model, FRANCE_IDS, parent, 20) == FRANCE_TOKENS


@pytest.mark.parametrize("swap", [False, True], ids=["recomputed", "swapped"])
def test_tokens_after_preemption(swap: bool, smollm2_file: LanguageModelFile) -> None:
    pool, size, shape = BlockPool(8), 4, smollm2_file.model.cache_shape
    host_pool = BlockPool(8) if swap else None
    scheduler = Scheduler(pool, size, token_budget=8, host=host_pool)
    for name in ("first", "second"):
        scheduler.submit(name, FRANCE_IDS, 20)
    storage = PagedStorage(pool.num_blocks, size, **shape)
    host = PagedStorage(8, size, **shape) if swap else None
    model = Threaded(smollm2_file.model, 1)
    for _ in serve(model, scheduler, storage, host, cache_type=GatheredCache):
        pass
    assert [request.output for request in scheduler.finished] == [FRANCE_TOKENS] * 2
    assert sum(request.times_preempted for request in scheduler.finished) > 0


def test_tokens_from_the_prefix_cache(smollm2_file: LanguageModelFile) -> None:
    pool, size = BlockPool(40), 2
    storage = PagedStorage(pool.num_blocks, size, **smollm2_file.model.cache_shape)
    scheduler = Scheduler(pool, size, token_budget=64, prefix_cache=PrefixCache(pool, size))
    model, fed = Threaded(smollm2_file.model, 1), list[list[int]]()
    for name in ("first", "second"):
        scheduler.submit(name, FRANCE_IDS, 20)
        steps = serve(model, scheduler, storage, cache_type=GatheredCache)
        fed.append([step.num_tokens for step in steps])
    assert [request.output for request in scheduler.finished] == [FRANCE_TOKENS] * 2
    assert [steps[0] for steps in fed] == [5, 1]  # two full blocks of two tokens were there


def test_beams_and_samples_share_the_prompt(smollm2_file: LanguageModelFile) -> None:
    model = Threaded(smollm2_file.model, 1)
    cache = paged(smollm2_file, 4, GatheredCache)
    *_, beams = beam_search(model, FRANCE_IDS, cache, 2, 4)
    best = beams[0]
    alone = 0.0
    for i, token in enumerate(best.tokens):
        logits = next_logits(model, [*FRANCE_IDS, *best.tokens[:i]], NoCache()).astype(np.float64)
        alone += logits[token] - logits.max() - np.log(np.exp(logits - logits.max()).sum())
    assert best.log_probability == pytest.approx(alone, abs=1e-4)
    assert best.cache.sequence.block_table[0] == beams[1].cache.sequence.block_table[0]

    cache = paged(smollm2_file, 4, GatheredCache)
    rng = np.random.default_rng(0)
    *_, samples = parallel_sampling(model, FRANCE_IDS, cache, 3, rng, 4, temperature=1e-3)
    assert [list(sample.tokens) for sample in samples] == [FRANCE_TOKENS[:4]] * 3


@pytest.mark.parametrize("draft", ["lookup", "layers"])
def test_guesses_change_no_token(draft: str, smollm2_file: LanguageModelFile) -> None:
    """Both over a text that repeats itself, where guesses stand, and over one that does not."""
    repeat = (
        "<|im_start|>user\nRepeat this text word for word: A block holds sixteen tokens, and a "
        "full block can be shared by several sequences.<|im_end|>\n<|im_start|>assistant\n"
    )
    for prompt, new in ((FRANCE, 20), (repeat, 16)):
        asked = Asked((prompt,), new, threads=1, draft=draft)
        ids = smollm2_file.ids(prompt)
        cache = paged_cache(smollm2_file.model, 16, len(ids) + new)
        tally = GuessTally()
        tokens = [
            token
            for step in guessing_steps(smollm2_file, asked, cache, tally)
            for token in step.tokens
        ]
        model, plain = Threaded(smollm2_file.model, 1), paged(smollm2_file, 16, GatheredCache)
        assert tokens == greedy_tokens(model, ids, plain, new)
        assert tally.tokens == len(tokens)
    if draft == "lookup":
        assert tally.tokens / tally.runs > 2  # the answer is a piece of the prompt


def test_the_memory_stays_below_a_gibibyte(smollm2_path: Path) -> None:
    # Not `ru_maxrss` where there is better: a child begins with what its parent had at the most.
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from walkthrough.llm import loading, smollm2\n"
        "from walkthrough.reference.model import next_logits\n"
        "from walkthrough.reference.cache import ContiguousCache\n"
        "model = loading.load_model(smollm2.model_path()).model\n"
        "next_logits(model, list(range(512)), ContiguousCache(512, **model.cache_shape))\n"
        "status = Path('/proc/self/status')\n"
        "if status.exists():\n"
        "    peak = [x.split()[1] for x in status.read_text().splitlines() if 'VmHWM' in x][0]\n"
        "else:\n"
        "    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print(int(peak) // (1024 if sys.platform == 'darwin' else 1))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 2**18 < int(done.stdout) < 2**20  # KiB; the weights alone are more than the lower bound
