"""The blocks as transformers' cache: the same tokens as with its own, in fewer bytes."""

from __future__ import annotations

import contextlib
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

transformers = pytest.importorskip("transformers")
torch = pytest.importorskip("torch")

from gpu.hf_cache import BlockCache  # noqa: E402
from walkthrough.paging.block_pool import OutOfBlocksError  # noqa: E402

if TYPE_CHECKING:
    from walkthrough.llm.loading import LanguageModelFile

SMALL = {
    "vocab_size": 60,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": None,
    "max_position_embeddings": 256,
}
WINDOW = {"sliding_window": 6}
CONFIGS: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", {}),
    "one K/V head": ("Llama", {"num_key_value_heads": 1}),
    "qwen2": ("Qwen2", {}),
    "qwen3": ("Qwen3", {}),
    "gemma": ("Gemma", {}),
    "gemma2, sliding window": ("Gemma2", WINDOW),
    "gemma3, sliding window": ("Gemma3Text", WINDOW),
}
PROMPTS = torch.tensor(
    [[0, 0, 0, 5, 7, 9, 11, 13], [3, 1, 4, 1, 5, 9, 2, 6], [0, 0, 0, 0, 0, 0, 8, 2]]
)
MASK = torch.tensor([[0] * 3 + [1] * 5, [1] * 8, [0] * 6 + [1] * 2])


@pytest.fixture(params=CONFIGS)
def model(request: pytest.FixtureRequest) -> Any:
    name, changes = CONFIGS[request.param]
    torch.manual_seed(1)
    config = getattr(transformers, f"{name}Config")(**SMALL | changes)
    made = transformers.AutoModelForCausalLM.from_config(config)
    made.generation_config.pad_token_id = 0
    for parameter in made.parameters():  # far enough apart that no two tokens are nearly equal
        torch.nn.init.normal_(parameter, std=0.3)
    return made.eval()


def answers(model: Any, cache: Any, **options: Any) -> list[list[int]]:
    with torch.no_grad():
        out = model.generate(
            input_ids=PROMPTS,
            attention_mask=MASK,
            cache=cache,
            do_sample=False,
            max_new_tokens=20,
            **options,
        )
    return out.tolist()


def theirs(model: Any, **options: Any) -> list[list[int]]:
    return answers(model, transformers.DynamicCache(config=model.config), **options)


@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_greedy_tokens_of_a_padded_batch(model: Any, block_size: int) -> None:
    blocks = 3 * math.ceil(27 / block_size)  # 8 + 20 tokens, the last of which is never fed
    cache = BlockCache(model.config, blocks, block_size)
    assert answers(model, cache) == theirs(model)
    assert cache.get_seq_length() == 27
    assert cache.blocks_in_use == blocks


@pytest.mark.parametrize("beams", [2, 4])
def test_beams_are_forks(model: Any, beams: int) -> None:
    cache = BlockCache(model.config, 3 * beams * 9, 4)
    ours = answers(model, cache, num_beams=beams)
    assert ours == theirs(model, num_beams=beams)
    apart = 3 * beams * math.ceil(27 / 4)
    assert cache.blocks_in_use < apart  # beams of one prompt share its blocks
    cache.reset()
    assert cache.blocks_in_use == 0
    assert answers(model, cache) == theirs(model)


def test_a_chunked_prefill_and_a_crop(model: Any) -> None:
    whole, cache = transformers.DynamicCache(config=model.config), None
    cache = BlockCache(model.config, 60, 4)
    with torch.no_grad():
        expected = model(PROMPTS[1:2], cache=whole).logits[:, -1]
        model(PROMPTS[1:2, :3], cache=cache)
        model(torch.tensor([[9, 9, 9]]), cache=cache)
        cache.crop(-3)
        logits = model(PROMPTS[1:2, 3:], cache=cache).logits[:, -1]
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


def test_rows_chosen_and_repeated(model: Any) -> None:
    whole, cache = transformers.DynamicCache(config=model.config), None
    cache = BlockCache(model.config, 60, 4)
    step = torch.tensor([[5], [6], [7], [8]])
    with torch.no_grad():
        for one in (whole, cache):
            model(PROMPTS, cache=one)
            one.batch_select_indices(torch.tensor([2, 1]))
            one.batch_repeat_interleave(2)
        expected = model(step, cache=whole).logits
        torch.testing.assert_close(model(step, cache=cache).logits, expected, atol=1e-5, rtol=1e-5)
    with pytest.raises(ValueError, match="the batch has 1 rows, the cache 4"):
        model(step[:1], cache=cache)


def test_a_full_pool_says_so(model: Any) -> None:
    with pytest.raises(OutOfBlocksError):
        answers(model, BlockCache(model.config, 5, 4))


def test_what_does_not_fit_or_is_refused_leaves_all_rows_as_they_were() -> None:
    config = transformers.LlamaConfig(**SMALL)
    cache = BlockCache(config, 3, 2)

    def rows(batch: int, n: int, value: float, **options: Any) -> torch.Tensor:
        return torch.full((batch, 2, n, 8), value, **options)

    layer = cache.layers[0]
    with pytest.raises(OutOfBlocksError):
        layer.update(rows(2, 4, 1.0), rows(2, 4, 1.0))  # the first row alone fits
    assert cache.blocks_in_use == 0
    assert cache.get_seq_length() == 0
    layer.update(rows(1, 1, 1.0), rows(1, 1, 1.0))
    cache.batch_repeat_interleave(2)
    for _ in range(2):
        with pytest.raises(OutOfBlocksError):  # a copy and a new block, and no second one
            layer.update(rows(2, 2, 2.0), rows(2, 2, 2.0))
        assert [len(sequence) for sequence in cache.sequences] == [1, 1]
        assert (cache.rows(cache.storage.K[0], 1) == 1).all()
    wrong = rows(2, 1, 3.0, dtype=torch.float16)
    with pytest.raises(ValueError, match=r"K is torch\.float16, the storage torch\.float32"):
        layer.update(wrong, wrong)
    assert cache.get_seq_length() == 1
    stored, _ = layer.update(rows(2, 1, 3.0), rows(2, 1, 3.0))
    assert stored[:, 0, :, 0].tolist() == [[1, 3], [1, 3]]


MODES = {
    "grad": contextlib.nullcontext,
    "no grad": torch.no_grad,
    "inference": torch.inference_mode,
}
OPERATIONS = st.one_of(
    st.tuples(st.just("update"), st.integers(1, 3)),
    st.tuples(st.just("update"), st.integers(1, 3)),
    st.tuples(st.just("crop"), st.integers(-9, 1)),
    st.tuples(st.just("reset"), st.none()),
    st.tuples(st.just("select"), st.lists(st.integers(-3, 4), min_size=1, max_size=3)),
    st.tuples(st.just("reorder"), st.lists(st.integers(0, 3), min_size=3, max_size=3)),
    st.tuples(st.just("repeat"), st.integers(1, 2)),
)


def outcome(cache: Any, name: str, argument: Any, batch: int) -> tuple[list[Any], bool]:
    """All that an operation gives, gradients included, and whether it raises."""
    given: list[Any] = []
    try:
        if name == "update":
            shape, leaves, loss = (batch, 2, argument, 8), [], torch.zeros(())
            for layer in range(3):
                generator = torch.Generator().manual_seed(layer)
                leaf = torch.rand(shape, generator=generator)
                leaf.requires_grad_(torch.is_grad_enabled())
                K, V = cache.update(leaf * leaf, leaf.exp(), layer)
                given += [K.detach().clone(), V.detach().clone()]
                leaves.append(leaf)
                loss = loss + (K.sin() * V).sum()
            if torch.is_grad_enabled():
                loss.backward()
                given += [leaf.grad for leaf in leaves]
        elif name == "crop":
            cache.crop(argument)
        elif name == "reset":
            cache.reset()
        elif name == "select":
            cache.batch_select_indices(torch.tensor(argument))
        elif name == "reorder":
            cache.reorder_cache(torch.tensor(argument))
        else:
            cache.batch_repeat_interleave(argument)
    except (ValueError, RuntimeError, IndexError):
        return given, True
    return given, False


@given(
    st.sampled_from(sorted(MODES)),
    st.lists(st.tuples(st.sampled_from(sorted(MODES)), OPERATIONS), max_size=8),
)
@settings(deadline=None, max_examples=100)
def test_it_does_what_their_own_cache_does(
    made_in: str, steps: list[tuple[str, tuple[str, Any]]]
) -> None:
    config = transformers.LlamaConfig(**SMALL)
    with MODES[made_in]():
        ours = BlockCache(config, 200, 2)
    their_own = transformers.DynamicCache(config=config)
    batch = 3
    for mode, (name, argument) in steps:
        with MODES[mode]():
            expected, raises = outcome(their_own, name, argument, batch)
            found, raised = outcome(ours, name, argument, batch)
        assert (raised, len(found)) == (raises, len(expected)), (name, argument)
        for a, b in zip(found, expected, strict=True):
            torch.testing.assert_close(a, b)
        if raises:  # theirs may have done a part of it: neither is to be used on
            return
        assert ours.get_seq_length() == their_own.get_seq_length()
        if their_own.get_seq_length():
            batch = len(their_own.layers[0].keys)
            assert len(ours.sequences) == batch
        elif name == "reset":
            batch = 3
    ours.reset()
    assert ours.blocks_in_use == 0


def test_a_forward_after_a_reset_has_a_backward_of_its_own() -> None:
    config = transformers.LlamaConfig(**SMALL)
    model = transformers.AutoModelForCausalLM.from_config(config)
    cache = BlockCache(config, 60, 4)
    found = []
    for one in (cache, transformers.DynamicCache(config=config)):
        for _ in range(2):
            model.zero_grad()
            model(PROMPTS, cache=one, use_cache=True).logits.sum().backward()
            one.reset()
        found.append([p.grad.clone() for p in model.parameters() if p.grad is not None])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.slow
def test_smollm2_gives_the_same_tokens(smollm2_file: LanguageModelFile) -> None:
    from helpers.france import FRANCE_IDS, FRANCE_TOKENS
    from helpers.peers import to_transformers

    model = to_transformers(smollm2_file.model)
    prompts = torch.tensor([FRANCE_IDS, [2, 2, *smollm2_file.ids("Once upon a")]])
    mask = torch.tensor([[1] * 5, [0, 0, 1, 1, 1]])
    assert prompts.shape == mask.shape
    given = {"input_ids": prompts, "attention_mask": mask, "do_sample": False}
    with torch.no_grad():
        for options in ({}, {"num_beams": 3}):
            cache = BlockCache(model.config, 40, 8)
            ours = model.generate(**given, cache=cache, max_new_tokens=20, **options)
            own = transformers.DynamicCache(config=model.config)
            expected = model.generate(**given, cache=own, max_new_tokens=20, **options)
            assert ours.tolist() == expected.tolist()
            if not options:
                assert ours[0, 5:].tolist() == FRANCE_TOKENS
