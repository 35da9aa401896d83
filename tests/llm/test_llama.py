"""The llama in NumPy and in torch, and reading it from files made here."""

from __future__ import annotations

import dataclasses
import os
import struct
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from helpers.gguf_files import write_llama
from hypothesis import example, given, settings
from hypothesis import strategies as st

from walkthrough.llm import llama as L
from walkthrough.llm.gguf_file import READABLE, GGUFFile, ModelFileError
from walkthrough.llm.loading import load_model, parameters, read_llama
from walkthrough.llm.threads import Threaded
from walkthrough.llm.tokenizer import read_tokenizer
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.scheduler import Scheduler
from walkthrough.paging.sequence import Sequence
from walkthrough.paging.window import WindowedSequence
from walkthrough.reference.batch import next_logits_each
from walkthrough.reference.cache import ContiguousCache, NoCache
from walkthrough.reference.cost import Geometry
from walkthrough.reference.engine import serve
from walkthrough.reference.model import forward, greedy_tokens, next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage
from walkthrough.reference.speculative.decoding import speculate
from walkthrough.reference.speculative.drafts import ModelDraft, fewer_layers
from walkthrough.reference.speed.roofline import decode_load, step_cost
from walkthrough.reference.speed.shapes import ModelShape
from walkthrough.reference.work import Work


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> L.Llama:
    path = tmp_path_factory.mktemp("model") / "small.gguf"
    write_llama(path)
    return read_llama(GGUFFile(path))


@pytest.fixture(scope="module")
def exact(small: L.Llama) -> L.Llama:
    """The same in float64, in which equal means equal to the tenth digit."""

    def wide(weights: L.Llama | L.LlamaLayer) -> dict[str, np.ndarray]:
        arrays = {k: v for k, v in vars(weights).items() if isinstance(v, np.ndarray)}
        return {name: array.astype(np.float64) for name, array in arrays.items()}

    layers = tuple(dataclasses.replace(layer, **wide(layer)) for layer in small.layers)
    return dataclasses.replace(small, layers=layers, **wide(small))


def paged(model: L.Llama, kind: type[PagedCache] = PagedCache, size: int = 4) -> PagedCache:
    pool = BlockPool(200)
    storage = PagedStorage(pool.num_blocks, size, **model.cache_shape)
    return kind(storage, Sequence(pool, size))


def test_rms_norm_is_its_formula() -> None:
    x = np.random.default_rng(0).normal(size=(3, 8))
    weight = np.arange(8.0)
    expected = [row / np.sqrt(np.mean(row**2) + 1e-5) * weight for row in x]
    np.testing.assert_allclose(L.rms_norm(x, weight, 1e-5), expected, rtol=1e-12)


def test_silu_does_not_overflow() -> None:
    x = np.array([-1e4, -1.0, 0.0, 1.0, 1e4], np.float32)
    np.testing.assert_allclose(L.silu(x), [0, -0.26894142, 0, 0.7310586, 1e4], rtol=1e-6)


@given(st.integers(0, 8000), st.integers(0, 100), st.integers(1, 500))
@settings(deadline=None, max_examples=50)
def test_rope_knows_distances_alone(start: int, distance: int, shift: int) -> None:
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 1, 1, 8))
    frequencies = 10000.0 ** -(np.arange(0, 8, 2) / 8)

    def score(at: int) -> float:
        turned_q = L.rotate(q, L.rotations([at + distance], frequencies))
        return float((turned_q * L.rotate(k, L.rotations([at], frequencies))).sum())

    assert score(start) == pytest.approx(score(start + shift), abs=1e-9)
    turned = L.rotate(q, L.rotations([1], frequencies))[0, 0]
    a, b = q[0, 0, :2]  # the first pair turns by one radian a position
    np.testing.assert_allclose(
        turned[:2], [a * np.cos(1) - b * np.sin(1), a * np.sin(1) + b * np.cos(1)]
    )


@given(
    st.lists(st.integers(0, 59), min_size=1, max_size=30),
    st.lists(st.integers(1, 9), max_size=6),
    st.integers(1, 7),
)
@settings(deadline=None, max_examples=40)
def test_every_cache_and_every_chunking_gives_the_same_logits(
    exact: L.Llama, ids: list[int], cuts: list[int], size: int
) -> None:
    expected = forward(exact, ids, NoCache())
    caches = [
        ContiguousCache(len(ids), **exact.cache_shape),
        paged(exact, PagedCache, size),
        paged(exact, GatheredCache, size),
    ]
    for cache in caches:
        got, start = [], 0
        for length in [*cuts, len(ids)]:
            if chunk := ids[start : start + length]:
                got.append(forward(exact, chunk, cache))
            start += length
        np.testing.assert_allclose(np.concatenate(got), expected, atol=1e-10)


def test_positions_count(small: L.Llama) -> None:
    """The same tokens in another order: the toy, without positions, would give one answer."""
    a, b = (next_logits(small, ids, NoCache()) for ids in ([3, 4, 5], [4, 3, 5]))
    assert not np.allclose(a, b, atol=1e-3)


@pytest.mark.parametrize("shift", [1, 40])
def test_only_distances_between_positions_count(exact: L.Llama, shift: int) -> None:
    ids = [3, 1, 4, 1, 5]
    rows = []
    for start in (0, shift):
        cache = NoCache()
        cache.extend(ids)
        rows.append(exact.hidden(ids, range(start, start + len(ids)), cache))
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-10)
    cache.extend(ids)
    gap = exact.hidden(ids, [0, 1, 2, 3, 4 + shift], cache)
    assert not np.allclose(gap[-1], rows[0][-1], atol=1e-3)


@given(st.lists(st.lists(st.integers(0, 59), min_size=1, max_size=9), min_size=1, max_size=4))
@settings(deadline=None, max_examples=30)
def test_a_batch_gives_what_each_gets_alone(exact: L.Llama, prompts: list[list[int]]) -> None:
    pool = BlockPool(100)
    storage = PagedStorage(pool.num_blocks, 4, **exact.cache_shape)
    caches = [GatheredCache(storage, Sequence(pool, 4)) for _ in prompts]
    for fed in (prompts, [[i] for i in range(len(prompts))]):
        together = next_logits_each(exact, fed, caches)
        for i, row in enumerate(together):
            whole = [*prompts[i], *([i] if fed is not prompts else [])]
            np.testing.assert_allclose(row, next_logits(exact, whole, NoCache()), atol=1e-10)


def test_gathered_and_by_blocks_in_float64() -> None:
    rng = np.random.default_rng(3)
    pool = BlockPool(30)
    storage = PagedStorage(30, 3, 8, h_kv=2)
    sequence = Sequence(pool, 3)
    cache = PagedCache(storage, sequence)
    for n in (5, 1, 4):
        cache.extend(range(n))
        cache.write(0, *rng.normal(size=(2, n, 2, 8)))
        Q = rng.normal(size=(n, 6, 8))
        gathered = GatheredCache(storage, sequence)
        np.testing.assert_allclose(gathered.attend(0, Q), cache.attend(0, Q), atol=1e-12)


def test_gathering_a_window_goes_by_blocks() -> None:
    rng = np.random.default_rng(4)
    storage, caches = PagedStorage(30, 2, 4), []
    for kind in (PagedCache, GatheredCache):
        sequence = WindowedSequence(BlockPool(30), 2, window=3)
        caches.append(kind(storage, sequence))
        for _ in range(9):
            caches[-1].extend([0])
            caches[-1].write(0, *np.random.default_rng(len(sequence)).normal(size=(2, 1, 1, 4)))
    Q = rng.normal(size=(1, 2, 4))
    np.testing.assert_array_equal(caches[0].attend(0, Q), caches[1].attend(0, Q))


def test_preempted_requests_give_the_tokens_they_give_alone(small: L.Llama) -> None:
    prompts = [[1, 2, 3], [4, 5, 6, 7], [8, 9]]
    alone = [greedy_tokens(small, prompt, NoCache(), 9) for prompt in prompts]
    pool = BlockPool(8)
    storage = PagedStorage(pool.num_blocks, 2, **small.cache_shape)
    scheduler = Scheduler(pool, 2, token_budget=5)
    for i, prompt in enumerate(prompts):
        scheduler.submit(str(i), prompt, 9)
    for _ in serve(small, scheduler, storage, cache_type=GatheredCache):
        pass
    done = sorted(scheduler.finished, key=lambda request: request.arrival)
    assert [request.output for request in done] == alone
    assert sum(request.times_preempted for request in done) > 0


@given(st.integers(1, 7), st.integers(0, 5), st.lists(st.integers(0, 2), min_size=1, unique=True))
@settings(deadline=None, max_examples=30)
def test_guesses_change_no_token(exact: L.Llama, size: int, ahead: int, layers: list[int]) -> None:
    prompt, new = [3, 4, 5, 3, 4], 12
    expected = greedy_tokens(exact, prompt, NoCache(), new)
    small = fewer_layers(exact, layers)
    for cache in (ContiguousCache(16, **exact.cache_shape), paged(exact, GatheredCache, size)):
        steps = speculate(
            exact,
            prompt,
            cache,
            ModelDraft(small, paged(small, PagedCache, size)),
            new,
            ahead=ahead,
        )
        assert [token for step in steps for token in step.tokens] == expected


def test_the_work_is_counted_where_it_is_done(small: L.Llama) -> None:
    work = Work()
    next_logits(small, [1, 2, 3], NoCache(), work)
    d_model, d_ff = small.layers[0].W_gate.shape
    a_layer = 2 * d_model * (small.h + small.h_kv) * small.d_k + 3 * d_model * d_ff
    attention = 2 * small.h * 3 * 3 * small.d_k
    layers = len(small.layers) * (3 * a_layer + attention)
    assert work.multiply_adds == layers + d_model * small.vocabulary
    assert (work.k_rows, work.v_rows) == (3 * len(small.layers), 3 * len(small.layers))


def test_bytes_are_counted_where_they_are_read_and_written(small: L.Llama) -> None:
    shape = ModelShape(Geometry(3, 4, 2, 8, 32, 512, "a/llama"), 48, 60, tied=True)
    cache, work = ContiguousCache(40, **small.cache_shape), Work()
    next_logits(small, list(range(9)), cache)
    next_logits(small, [1], cache, work)
    cost = step_cost(shape, decode_load(1, 10), weight_size=4, kv_size=4)
    row, vectors = 4 * 32, 4 * shape.vector_parameters  # looked up, and not counted
    assert work.weight_bytes_read == cost.weight_bytes + row - vectors
    assert (work.kv_bytes_read, work.kv_bytes_written) == (
        cost.kv_bytes_read,
        cost.kv_bytes_written,
    )
    assert work.flops == cost.flops


def test_threads_change_no_number(small: L.Llama) -> None:
    ids = [i % 60 for i in range(50)]
    threaded = Threaded(small, 2)
    assert (threaded.eos, threaded.vocabulary) == (small.eos, small.vocabulary)
    np.testing.assert_allclose(
        next_logits(threaded, ids, NoCache()), next_logits(small, ids, NoCache()), atol=1e-5
    )


# Files


@pytest.mark.parametrize("kind", READABLE)
def test_every_type_is_read_as_the_library_reads_it(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    quantisation = gguf.GGMLQuantizationType[kind]
    numbers = rng.normal(size=(7, 512)).astype(np.float32)
    if kind in ("Q4_K", "Q6_K"):  # which the library reads and does not write
        _, size = gguf.GGML_QUANT_SIZES[quantisation]
        scales = np.array([0.01, 0.02], np.float16).view(np.uint8)
        raw = rng.integers(0, 256, (7, 2, size), np.uint8)
        if kind == "Q4_K":
            raw[:, :, :4] = scales
        else:
            raw[:, :, -2:] = scales[:2]
        raw = raw.reshape(7, -1)
    else:
        raw = gguf.quants.quantize(numbers, quantisation)
    writer = gguf.GGUFWriter(tmp_path / "a.gguf", "llama")
    writer.add_tensor("before", np.ones(3, np.float32))
    writer.add_tensor("x", raw, raw_dtype=quantisation)
    finish(writer)
    file = GGUFFile(tmp_path / "a.gguf")
    expected = gguf.quants.dequantize(raw, quantisation)
    np.testing.assert_array_equal(file.read("x"), expected)
    np.testing.assert_array_equal(file.read("x", transposed=True), expected.T)
    assert file.read("x", transposed=True).flags.c_contiguous
    np.testing.assert_array_equal(file.read("before"), np.ones(3))


def finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_metadata_is_what_the_library_reads(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    write_llama(path)
    theirs = gguf.GGUFReader(path)
    ours = GGUFFile(path).metadata
    for name, field in theirs.fields.items():
        if not name.startswith("GGUF."):
            assert ours[name] == field.contents(), name


def test_a_tied_output_layer_is_the_embedding_itself(small: L.Llama, tmp_path: Path) -> None:
    assert np.shares_memory(small.W_vocab, small.embedding)
    d_model, d_ff = small.layers[0].W_gate.shape
    heads = 2 * d_model * (small.h + small.h_kv) * small.d_k
    a_layer = 2 * d_model + heads + 3 * d_model * d_ff
    tied = small.vocabulary * d_model + d_model + len(small.layers) * a_layer
    assert parameters(small) == tied
    write_llama(tmp_path / "untied.gguf", tied=False)
    untied = read_llama(GGUFFile(tmp_path / "untied.gguf"))
    assert parameters(untied) == tied + small.vocabulary * d_model
    logits = forward(untied, [1, 2], NoCache())
    assert not np.allclose(logits, forward(small, [1, 2], NoCache()))


def test_the_longer_contexts_frequencies_are_divided(small: L.Llama, tmp_path: Path) -> None:
    factors = np.arange(1, small.d_k // 2 + 1, dtype=np.float32)
    write_llama(tmp_path / "long.gguf", extra={"rope_freqs.weight": factors})
    longer = read_llama(GGUFFile(tmp_path / "long.gguf"))
    np.testing.assert_allclose(longer.frequencies * factors, small.frequencies)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "architecture": ({"architecture": "gemma"}, "architecture 'gemma'"),
    "no tensor": ({"without": ["blk.1.attn_k.weight"]}, "lacks the tensor blk.1.attn_k.weight"),
    "stranger": (
        {"extra": {"blk.0.attn_q.bias": np.ones(32, np.float32)}},
        "a llama does not have: blk.0.attn_q.bias",
    ),
    "shape": (
        {"extra": {"output_norm.weight": np.ones(3, np.float32)}},
        r"output_norm.weight has shape \(3,\), expected \(32,\)",
    ),
    "type": (
        {"extra": {"output_norm.weight": np.ones(32, np.int32)}},
        "output_norm.weight is stored as I32; what can be read: F32",
    ),
    "not finite": (
        {"extra": {"output_norm.weight": np.full(32, np.nan, np.float32)}},
        "output_norm.weight holds numbers that are not finite",
    ),
}
ADDED = {"general.alignment": 0, "general.type": "adapter", "general.mood": "good"}
ADDED |= {"general.quantization_version": 1}
BAD_LLAMA = {  # in place of what stands in the file
    "vocab_size": (61, "llama.vocab_size = 61; what can be read: 60"),
    "block_count": ("2", "llama.block_count = '2'; that must be a whole number from 1 to 10000"),
    "embedding_length": (True, "llama.embedding_length = True; that must be a whole number"),
    "feed_forward_length": ([48, 48, 40], r"for each layer: .* = \[48, 48, 40\]; one value"),
    "context_length": (0, "that must be a whole number from 1"),
    "attention.head_count": (0, "head_count = 0; that must be a whole number from 1"),
    "attention.head_count_kv": ([2, 2, 1], r"for each layer: llama.attention.head_count_kv = \[2"),
    "attention.layer_norm_rms_epsilon": ("x", "_epsilon = 'x'; that must be a number from 0 to 1"),
    "attention.key_length": (1 << 31, "llama.attention.key_length = 2147483648; that must be"),
    "attention.value_length": (4, "llama.attention.value_length = 4; what can be read: 8"),
    "attention.sliding_window": (4096, "uses what this model does not have: .*window = 4096"),
    "attention.causal": (False, "llama.attention.causal = False; what can be read: True"),
    "attention.scale": (0.5, "a setting that is not known here: llama.attention.scale = 0.5"),
    "logit_scale": (2.0, "a setting that is not known here: llama.logit_scale = 2.0"),
    "expert_count": (8, "llama.expert_count = 8; what can be read: 0"),
    "rope.dimension_count": (4, "d_k 8, of which 4 are rotated"),
    "rope.freq_base": (float("inf"), "llama.rope.freq_base = inf; that must be a number"),
    "rope.scaling.type": ("yarn", "scaling.type = 'yarn'; what can be read: 'none', 'linear'"),
    "rope.scaling.factor": (float("nan"), "llama.rope.scaling.factor = nan; that must be"),
    "rope.scale_linear": (-1.0, "llama.rope.scale_linear = -1.0; that must be"),
    "rope.scaling.attn_factor": (2.0, "llama.rope.scaling.attn_factor = 2.0; what can be read"),
}
BAD_TOKENIZER = {
    "model": (4, "tokenizer.ggml.model = 4; that must be a text"),
    "pre": ("qwen2", "kind 'gpt2/qwen2'"),
    "tokens": ([1, 2], r"tokenizer.ggml.tokens = \[1, 2\]; that must be a list of texts"),
    "token_type": ([1, 1], "has 2 items in tokenizer.ggml.token_type, but 60 in"),
    "merges": (["q z"], "the merges of its tokenizer cannot be used: 'q z'"),
    "eos_token_id": (60, "eos_token_id = 60; that must be a whole number from 0 to 59"),
    "eot_token_id": (3, "tokenizer.ggml.eot_token_id = 3; what can be read: 2"),
    "add_bos_token": ("yes", "tokenizer.ggml.add_bos_token = 'yes'; that must be true or false"),
    "add_eos_token": (True, "tokenizer.ggml.add_eos_token = True; what can be read: False"),
}
for _name, (_value, _message) in BAD_LLAMA.items():
    BAD[_name] = ({"keys": {f"llama.{_name}": _value}}, _message)
for _name, (_value, _message) in BAD_TOKENIZER.items():
    BAD[_name] = ({"keys": {f"tokenizer.ggml.{_name}": _value}}, _message)
for _name, _value in ADDED.items():
    BAD[_name] = ({"keys": {_name: _value}}, _name)
for _name in ("llama.block_count", "tokenizer.ggml.merges", "tokenizer.ggml.eos_token_id"):
    BAD[f"no {_name}"] = ({"without": [_name]}, f"lacks {_name}")
BAD["no bos"] = ({"keys": {"tokenizer.ggml.add_bos_token": True}}, "lacks .*bos_token_id")
LONG = "\x1b[2J" + "x" * 100_000
BAD["long"] = ({"keys": {"llama.rope.scaling.type": LONG}}, r"type = '\\x1b\[2Jx+…; what can")


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_is_no_such_llama_is_named_in_one_line(name: str, tmp_path: Path) -> None:
    options, message = BAD[name]
    path = tmp_path / "bad.gguf"
    write_llama(path, **options)
    with pytest.raises(ModelFileError, match=message) as raised:
        load_model(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert len(str(raised.value)) < len(str(path)) + 200
    for language in ("en", "ko"):
        assert "\n" not in raised.value.text(language)


def test_what_changes_no_number_may_stand_there(small: L.Llama, tmp_path: Path) -> None:
    keys = {"general.name": "a", "general.base_model.0.name": "b", "general.file_type": 0}
    keys |= {"tokenizer.chat_template": "{{ x }}", "llama.rope.scaling.finetuned": True}
    keys |= {"general.type": "model", "llama.expert_count": 0, "tokenizer.ggml.eot_token_id": 2}
    keys |= {"llama.vocab_size": 60, "quantize.imatrix.file": "not ours to read"}
    keys |= {"tokenizer.ggml.add_bos_token": False, "tokenizer.ggml.bos_token_id": 1}
    write_llama(tmp_path / "a.gguf", keys=keys)
    file = load_model(tmp_path / "a.gguf")
    np.testing.assert_array_equal(
        forward(file.model, [1], NoCache()), forward(small, [1], NoCache())
    )
    assert file.ids("ab") == [45]


@pytest.mark.parametrize(
    ("keys", "factor"),
    [
        ({"scaling.factor": 4.0}, 4),
        ({"scale_linear": 4.0}, 4),
        ({"scaling.type": "linear", "scaling.factor": 2.0, "scale_linear": 8.0}, 2),
        ({"scaling.type": "none", "scaling.factor": 4.0}, 1),
        ({"scaling.type": "linear", "scaling.factor": 0.0}, 1),
    ],
)
def test_positions_are_scaled_as_the_file_says(
    small: L.Llama, tmp_path: Path, keys: dict[str, object], factor: float
) -> None:
    path = tmp_path / "a.gguf"
    write_llama(path, keys={f"llama.rope.{key}": value for key, value in keys.items()})
    scaled = read_llama(GGUFFile(path))
    np.testing.assert_allclose(scaled.frequencies * factor, small.frequencies)


def test_the_token_before_every_text_and_tokens_that_are_text(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    types = [3] * 3 + [1] * 57
    types[50], types[51], types[52] = 4, 2, 3
    keys = {"tokenizer.ggml.token_type": types, "tokenizer.ggml.add_bos_token": True}
    write_llama(path, keys=keys | {"tokenizer.ggml.bos_token_id": 1})
    file = load_model(path)
    assert file.ids("ab 12") == [1, 45, 39, 4, 5]
    names = file.tokenizer.id_to_token
    text = "a" + "".join(names(i) for i in (50, 51, 52))
    assert file.ids(text) == [1, 13, 50, 51, 52]
    assert file.text([1, 13, 50, 51, 52]) == "a" + names(50)  # the others steer


def test_a_token_that_its_decoder_would_change_is_refused(tmp_path: Path) -> None:
    write_llama(tmp_path / "a.gguf")
    tokens = list(GGUFFile(tmp_path / "a.gguf").metadata["tokenizer.ggml.tokens"])
    keys = {"tokenizer.ggml.tokens": [*tokens[:-1], "é"]}
    write_llama(tmp_path / "a.gguf", keys=keys | {"tokenizer.ggml.token_type": [1] * 59 + [4]})
    with pytest.raises(ModelFileError, match="turned back into its own text: 'é'"):
        load_model(tmp_path / "a.gguf")
    write_llama(tmp_path / "a.gguf", keys={"tokenizer.ggml.tokens": [*tokens[:-1], tokens[5]]})
    with pytest.raises(ModelFileError, match="the same token twice"):
        load_model(tmp_path / "a.gguf")


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_a_cut_file_is_always_found_out(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = folder / "whole.gguf"
    if not whole.exists():
        write_llama(whole)
    content = whole.read_bytes()
    last = GGUFFile(whole).tensors
    ends = max(t.offset + 4 * int(np.prod(t.shape)) for t in last.values())
    cut = folder / "cut.gguf"
    cut.write_bytes(content[: data.draw(st.integers(0, ends - 1))])
    with pytest.raises(ModelFileError) as raised:
        load_model(cut)
    assert raised.value.kind in ("cut", "cut tensor", "foreign")


@given(st.binary(min_size=24, max_size=24), st.integers(0, 400))
@example(b"\0" * 21 + b"\n\0\1", 113)  # a line end in a key's name
@settings(deadline=None, max_examples=100)
def test_damage_never_takes_the_memory_or_another_exception(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = folder / "whole.gguf"
    if not whole.exists():
        write_llama(whole)
    content = bytearray(whole.read_bytes())
    content[at : at + len(noise)] = noise
    (folder / "damaged.gguf").write_bytes(content)
    try:
        load_model(folder / "damaged.gguf")
    except ModelFileError as error:
        assert "\n" not in str(error)


def value(kind: int, item: int, count: int, *, keys: int = 1, tensors: int = 0) -> bytes:
    """A header whose only key, or tensor, is `k`."""
    start = b"GGUF" + struct.pack("<IQQ", 3, tensors, keys) + struct.pack("<Q", 1) + b"k"
    if kind == 9:
        return start + struct.pack("<IIQ", kind, item, count)
    rest = struct.pack("<Q", 1) if keys == 2 else b"\0" * 40
    return start + struct.pack("<II", kind, item) + rest


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin"),
        (b"PK\x03\x04 a zip", "does not begin"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 0), "architecture None"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 60), "the header should go on"),
        (value(9, 4, 1 << 62), "the header should go on to byte"),  # numbers
        (value(9, 8, 1 << 62), "the header should go on to byte"),  # texts
        (value(9, 9, 1), "an array of arrays, which is not read here: k"),
        (value(9, 13, 1), "k has a value of the unknown type 13"),
        (value(13, 0, 0), "k has a value of the unknown type 13"),
        (value(4, 1, 0, keys=2) + b"k" + struct.pack("<III", 4, 0, 0), "k stands there twice"),
        (value(4, 5, 0, keys=0, tensors=1), "tensor k has the shape"),
    ],
)
def test_foreign_files(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        load_model(tmp_path / "f")


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be read: No such file"):
        load_model(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="is not an ordinary file"):
        load_model(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_and_devices_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ModelFileError, match="is not an ordinary file"):
            load_model(path)


def test_the_tokenizer_splits_digits_where_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    write_llama(path)
    tokenizer = read_tokenizer(GGUFFile(path))
    assert tokenizer.encode("12").tokens == ["1", "2"]
    assert tokenizer.decode(tokenizer.encode("12 ab").ids) == "12 ab"
    assert tokenizer.encode("<|im_start|>ab").tokens == ["<|im_start|>", "ab"]
    write_llama(path, keys={"tokenizer.ggml.pre": "gpt-2"})
    assert read_tokenizer(GGUFFile(path)).encode("12").tokens == ["12"]
