"""The real model beside transformers and llama.cpp, on the same weights in float32."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.france import FRANCE, FRANCE_IDS, FRANCE_TOKENS
from helpers.gguf_files import write_llama

from walkthrough.llm.gguf_file import GGUFFile
from walkthrough.llm.loading import LanguageModelFile, load_model
from walkthrough.reference.cache import ContiguousCache, NoCache
from walkthrough.reference.model import forward, next_logits

pytestmark = pytest.mark.slow

TEXTS = [
    FRANCE,
    "Once upon a time, in the year 2018, there were 3 bears -- and 17 honey pots!\n\n\tThe end",
    "<|im_start|>user\nÜber die Brücke: 학교에 가요 🙂<|im_end|>\n<|im_start|>assistant\n",
]


@pytest.fixture(scope="module")
def transformers_model(smollm2_file: LanguageModelFile) -> Any:
    pytest.importorskip("transformers")
    from helpers.peers import to_transformers

    return to_transformers(smollm2_file.model)


@pytest.mark.parametrize("text", TEXTS)
def test_logits_are_those_of_transformers(
    text: str, transformers_model: Any, smollm2_file: LanguageModelFile
) -> None:
    import torch

    ids = smollm2_file.ids(text)
    with torch.no_grad():
        expected = transformers_model(torch.tensor([ids])).logits[0].numpy()
    np.testing.assert_allclose(
        forward(smollm2_file.model, ids, NoCache()), expected, rtol=0, atol=2e-4
    )
    cache = ContiguousCache(len(ids), **smollm2_file.model.cache_shape)
    one_by_one = [next_logits(smollm2_file.model, [token], cache) for token in ids]
    np.testing.assert_allclose(one_by_one, expected, rtol=0, atol=2e-4)


def test_greedy_tokens_are_those_of_transformers(transformers_model: Any) -> None:
    import torch

    given = torch.tensor([FRANCE_IDS])
    with torch.no_grad():
        out = transformers_model.generate(
            input_ids=given,
            attention_mask=torch.ones_like(given),
            do_sample=False,
            max_new_tokens=20,
        )
    assert out[0, len(FRANCE_IDS) :].tolist() == FRANCE_TOKENS


Ask = Callable[[str, dict[str, Any]], dict[str, Any]]


def serve_llama_cpp(path: Path) -> Ask:
    """llama.cpp's server in this process, on one thread and with an F32 cache."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel, params.warmup = 512, 1, False
    params.cpuparams.n_threads = 1
    params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
    server = xllamacpp.Server(params)

    def ask(path: str, question: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            server.listening_address + path,
            json.dumps(question).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            found: dict[str, Any] = json.load(answer)
        return found

    return ask


@pytest.fixture(scope="module")
def llama_cpp(smollm2_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """llama.cpp on an F32 copy of the file.

    On the file as it is, it would quantise activations, too, and soon choose other tokens.
    """
    pytest.importorskip("xllamacpp")
    from helpers.gguf_files import write_f32_copy

    copy = tmp_path_factory.mktemp("f32") / "smollm2-f32.gguf"
    write_f32_copy(GGUFFile(smollm2_path), copy)
    yield serve_llama_cpp(copy)
    copy.unlink()  # half a gigabyte


def test_greedy_tokens_are_those_of_llama_cpp(llama_cpp: Ask) -> None:
    answer = llama_cpp(
        "/completion",
        {"prompt": FRANCE_IDS, "n_predict": 20, "top_k": 1, "return_tokens": True},
    )
    assert answer["tokens"] == FRANCE_TOKENS


@pytest.mark.parametrize("text", TEXTS)
def test_token_ids_are_those_of_llama_cpp(
    text: str, llama_cpp: Ask, smollm2_file: LanguageModelFile
) -> None:
    answer = llama_cpp("/tokenize", {"content": text, "parse_special": True})
    assert smollm2_file.ids(text) == answer["tokens"]


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"scaling.factor": 4.0},
        {"scale_linear": 4.0},
        {"scaling.type": "linear", "scaling.factor": 2.0, "scale_linear": 8.0},
        {"scaling.type": "none", "scaling.factor": 4.0},
        {"scaling.factor": 0.0},
    ],
    ids=str,
)
def test_positions_are_scaled_as_in_llama_cpp(keys: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "small.gguf"
    write_llama(path, keys={f"llama.rope.{key}": value for key, value in keys.items()})
    ids = list(range(5, 25, 2))
    logits = next_logits(load_model(path).model, ids, NoCache()).astype(float)
    expected = logits - np.log(np.exp(logits).sum())
    question = {"prompt": ids, "n_predict": 1, "n_probs": 5, "temperature": 0}
    answer = serve_llama_cpp(path)("/completion", question)
    found = answer["completion_probabilities"][0]["top_logprobs"]
    assert [one["id"] for one in found] == np.argsort(-expected)[:5].tolist()
    for one in found:  # llama.cpp rounds its cosines and sums in another order
        assert one["logprob"] == pytest.approx(expected[one["id"]], abs=0.02)


@pytest.mark.parametrize("add_bos", [True, False])
def test_kinds_of_tokens_are_those_of_llama_cpp(add_bos: bool, tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    path = tmp_path / "small.gguf"
    types = [3] * 3 + [1] * 47 + [4, 2, 3] + [1] * 7  # user-defined, unknown, control
    keys = {"token_type": types, "add_bos_token": add_bos, "bos_token_id": 1}
    write_llama(path, keys={f"tokenizer.ggml.{key}": value for key, value in keys.items()})
    file = load_model(path)
    names = [file.tokenizer.id_to_token(i) for i in (50, 51, 52, 53)]
    text = f"ab 12{''.join(names)} {names[0]}<|im_end|>b"
    question = {"content": text, "parse_special": True, "add_special": True}
    assert file.ids(text) == serve_llama_cpp(path)("/tokenize", question)["tokens"]
