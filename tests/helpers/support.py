"""What several test files use: the command line in a process, random models."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from walkthrough.reference.model import Layer, Model

ROOT = Path(__file__).resolve().parents[2]
NO_MODEL = {"WALKTHROUGH_CACHE": "nowhere"}  # so that `run` stays quick

FRANCE = "The capital of France is"
FRANCE_IDS = [504, 3575, 282, 4649, 314]
FRANCE_TOKENS = [7042, 30, 198, 198, 504, 2988, 314, 42, 216, 34]
FRANCE_TOKENS += [32, 33, 40, 29, 32, 33, 29, 34, 34, 216]


def run_cli(
    *args: str, env: dict[str, str] | None = None, cwd: Path = ROOT, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """`walkthrough ARGS` in a process of its own, output captured as bytes.

    The real model is not found there; `env` may say where it is.
    """
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    clean |= {"LANG": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8"} | NO_MODEL
    clean |= env or {}
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-m", "walkthrough", *args],
        capture_output=True,
        env=clean,
        cwd=cwd,
        timeout=60,
        check=False,
        **options,
    )


def random_model(rng: np.random.Generator, *, layers: int, h: int, h_kv: int, d_k: int) -> Model:
    """A model with random weights; d_model and the vocabulary are odd on purpose."""
    d_model, vocabulary = 5, 7

    def weights(*shape: int) -> np.ndarray:
        return rng.normal(size=shape)

    return Model(
        weights(vocabulary, d_model),
        tuple(
            Layer(
                weights(h, d_model, d_k),
                weights(h_kv, d_model, d_k),
                weights(h_kv, d_model, d_k),
                weights(h * d_k, d_model),
            )
            for _ in range(layers)
        ),
        weights(d_model, vocabulary),
        eos=0,
    )


def write_llama(
    path: Path,
    *,
    architecture: str = "llama",
    tied: bool = True,
    keys: dict[str, object] | None = None,
    extra: dict[str, np.ndarray] | None = None,
    without: tuple[str, ...] | list[str] = (),
) -> None:
    """A GGUF file of a small llama with random weights, all that a real one has.

    Three layers, d_model 32, four query heads and two K/V heads of 8, 60 tokens. `keys` and
    `extra` add metadata and tensors or replace them; `without` leaves some out.
    """
    import gguf

    rng = np.random.default_rng(7)
    d_model, d_ff, h, h_kv, d_k, vocabulary = 32, 48, 4, 2, 8, 60
    byte_level = "0123456789abcdefghijklmnopqrstuvwxyzĠ,.!?-"
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *byte_level, "ab", "12", "Ġa"]
    tokens += [f"<unused{i}>" for i in range(vocabulary - len(tokens))]
    metadata: dict[str, object] = {
        "llama.context_length": 512,
        "llama.embedding_length": d_model,
        "llama.block_count": 3,
        "llama.feed_forward_length": d_ff,
        "llama.attention.head_count": h,
        "llama.attention.head_count_kv": h_kv,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10000.0,
        "llama.rope.dimension_count": d_k,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] * 3 + [1] * (vocabulary - 3),
        "tokenizer.ggml.merges": ["a b", "1 2", "Ġ a"],
        "tokenizer.ggml.eos_token_id": 2,
    } | (keys or {})
    shapes = {"token_embd": (vocabulary, d_model)} | ({} if tied else {"output": (60, d_model)})
    for i in range(3):
        shapes |= {
            f"blk.{i}.attn_q": (h * d_k, d_model),
            f"blk.{i}.attn_k": (h_kv * d_k, d_model),
            f"blk.{i}.attn_v": (h_kv * d_k, d_model),
            f"blk.{i}.attn_output": (d_model, h * d_k),
            f"blk.{i}.ffn_gate": (d_ff, d_model),
            f"blk.{i}.ffn_up": (d_ff, d_model),
            f"blk.{i}.ffn_down": (d_model, d_ff),
        }
    tensors = {
        f"{name}.weight": rng.normal(scale=0.3, size=shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    for name in ["output_norm", *(f"blk.{i}.{n}" for i in range(3) for n in NORMS)]:
        tensors[f"{name}.weight"] = (1 + 0.1 * np.arange(d_model) / d_model).astype(np.float32)
    writer = gguf.GGUFWriter(path, architecture)
    for name, value in metadata.items():
        if name in without:
            continue
        if isinstance(value, list):
            writer.add_array(name, value)
        else:
            kind = gguf.GGUFValueType.get_type(value)
            unsigned = kind == gguf.GGUFValueType.INT32
            writer.add_key_value(name, value, gguf.GGUFValueType.UINT32 if unsigned else kind)
    for name, tensor in (tensors | (extra or {})).items():
        if name not in without:
            writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


NORMS = ("attn_norm", "ffn_norm")
