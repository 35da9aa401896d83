"""A llama from a GGUF file: which tensor is which weight, checked before it is used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from walkthrough.llm.gguf_file import GGUFFile, ModelFileError
from walkthrough.llm.llama import Llama, LlamaLayer
from walkthrough.llm.settings import read_settings
from walkthrough.llm.tokenizer import read_tokenizer
from walkthrough.reference.work import Array

if TYPE_CHECKING:
    from tokenizers import Tokenizer

LAYER = {  # field of LlamaLayer: the name in the file, and the names of the stored axes
    "attention_norm": ("attn_norm", ("d_model",)),
    "W_Q": ("attn_q", ("q", "d_model")),
    "W_K": ("attn_k", ("kv", "d_model")),
    "W_V": ("attn_v", ("kv", "d_model")),
    "W_O": ("attn_output", ("d_model", "q")),
    "mlp_norm": ("ffn_norm", ("d_model",)),
    "W_gate": ("ffn_gate", ("d_ff", "d_model")),
    "W_up": ("ffn_up", ("d_ff", "d_model")),
    "W_down": ("ffn_down", ("d_model", "d_ff")),
}


@dataclass(frozen=True)
class LanguageModelFile:
    """What a file holds: the model, and the tokenizer that its token ids belong to."""

    model: Llama
    tokenizer: Tokenizer
    bos: int | None = None  # the token that the file wants before every text

    def ids(self, text: str) -> list[int]:
        """Token ids of a text; names of special tokens in it stand for these tokens."""
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids if self.bos is None else [self.bos, *ids]

    def text(self, token_ids: Any) -> str:
        """The text of token ids, special tokens left out."""
        text: str = self.tokenizer.decode(list(token_ids), skip_special_tokens=True)
        return text


def load_model(path: Path) -> LanguageModelFile:
    """Read a llama and its tokenizer. Raises `ModelFileError`, one clear line, where it cannot."""
    file = GGUFFile(path)
    _, tokenizer = read_settings(file)
    return LanguageModelFile(read_llama(file), read_tokenizer(file), tokenizer.bos)


@cache
def language_model() -> LanguageModelFile:
    """SmolLM2 and its tokenizer, read once."""
    from walkthrough.llm import smollm2

    return load_model(smollm2.model_path())


def read_llama(file: GGUFFile) -> Llama:
    """The model of a GGUF file, every weight in float32 and held once."""
    path, (said, _) = file.path, read_settings(file)
    h, h_kv, d_k = said.h, said.h_kv, said.d_k
    axes = {
        "d_model": said.d_model,
        "q": h * d_k,
        "kv": h_kv * d_k,
        "d_ff": said.d_ff,
        "vocabulary": said.vocabulary,
        "pairs": d_k // 2,
    }
    used: set[str] = set()

    def weight(name: str, *names: str, transposed: bool = False) -> Array:
        if name not in file.tensors:
            raise ModelFileError(path, "no tensor", tensor=name)
        expected, got = tuple(axes[axis] for axis in names), file.tensors[name].shape
        if got != expected:
            raise ModelFileError(path, "shape", tensor=name, got=got, expected=expected)
        used.add(name)
        return file.read(name, transposed=transposed)

    def layer(i: int) -> LlamaLayer:
        weights = {
            field: weight(f"blk.{i}.{name}.weight", *names, transposed=len(names) > 1)
            for field, (name, names) in LAYER.items()
        }
        return LlamaLayer(**weights)

    embedding = weight("token_embd.weight", "vocabulary", "d_model")
    tied = "output.weight" not in file.tensors
    output = embedding if tied else weight("output.weight", "vocabulary", "d_model")
    exponents = np.arange(0, d_k, 2) / d_k
    frequencies = said.rope_base**-exponents / said.rope_factor
    if "rope_freqs.weight" in file.tensors:  # Llama 3.1's longer context
        frequencies = frequencies / weight("rope_freqs.weight", "pairs")
    model = Llama(
        embedding=embedding,
        layers=tuple(layer(i) for i in range(said.layers)),
        norm=weight("output_norm.weight", "d_model"),
        W_vocab=output.T,
        h=h,
        h_kv=h_kv,
        d_k=d_k,
        frequencies=frequencies,
        eps=said.eps,
        eos=said.eos,
        context_length=said.context_length,
    )
    if strangers := sorted(file.tensors.keys() - used):
        raise ModelFileError(path, "unknown", tensor=strangers[0])
    return model


def parameters(model: Llama) -> int:
    """How many numbers were learned; a tied output layer counts once."""
    arrays = [model.embedding, model.norm]
    if not model.tied:
        arrays.append(model.W_vocab)
    for layer in model.layers:
        arrays += vars(layer).values()
    return sum(math.prod(array.shape) for array in arrays)
