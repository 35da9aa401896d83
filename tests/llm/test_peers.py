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

from walkthrough.llm.gguf_file import GGUFFile
from walkthrough.llm.loading import LanguageModelFile
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


@pytest.fixture(scope="module")
def llama_cpp(smollm2_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """llama.cpp's server in this process, on an F32 copy of the file and with an F32 cache.

    On the file as it is, it would quantise activations, too, and soon choose other tokens.
    """
    xllamacpp = pytest.importorskip("xllamacpp")
    from helpers.gguf_files import write_f32_copy

    copy = tmp_path_factory.mktemp("f32") / "smollm2-f32.gguf"
    write_f32_copy(GGUFFile(smollm2_path), copy)
    params = xllamacpp.CommonParams()
    params.model.path = str(copy)
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

    yield ask
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
