"""The model of both sides: a file's, or a small one with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gpu.llama import TorchLlama
from walkthrough.llm.llama import Llama, LlamaLayer

LAYERS, D_MODEL, H, H_KV, D_K, D_FF, VOCABULARY = 12, 256, 8, 4, 64, 512, 500


class ModelError(Exception):
    """A file that is not a model that can be read."""


def model_for(gguf: Path | None) -> TorchLlama:
    """A llama in torch, float32, on the CPU. Raises ModelError where the file is none."""
    if gguf is None:
        return TorchLlama(random_llama())
    from walkthrough.llm.gguf_file import ModelFileError
    from walkthrough.llm.loading import load_model

    try:
        return TorchLlama(load_model(gguf).model)
    except ModelFileError as error:
        raise ModelError(str(error)) from error


def random_llama(seed: int = 0) -> Llama:
    """A llama of twelve small layers, in which logits differ enough to choose between them."""
    rng = np.random.default_rng(seed)

    def weights(rows: int, cols: int) -> np.ndarray:
        return rng.normal(scale=rows**-0.5, size=(rows, cols)).astype(np.float32)

    ones = np.ones(D_MODEL, np.float32)
    layers = tuple(
        LlamaLayer(
            ones,
            weights(D_MODEL, H * D_K),
            weights(D_MODEL, H_KV * D_K),
            weights(D_MODEL, H_KV * D_K),
            weights(H * D_K, D_MODEL),
            ones,
            weights(D_MODEL, D_FF),
            weights(D_MODEL, D_FF),
            weights(D_FF, D_MODEL),
        )
        for _ in range(LAYERS)
    )
    embedding = rng.normal(size=(VOCABULARY, D_MODEL)).astype(np.float32)
    frequencies = (10000.0 ** (-np.arange(D_K // 2) * 2 / D_K)).astype(np.float32)
    return Llama(embedding, layers, ones, embedding.T, H, H_KV, D_K, frequencies, 1e-5, -1, 1 << 20)
