"""GGUF files: a small llama with random weights, and a copy of any file in F32."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from walkthrough.llm.gguf_file import GGUFFile

NORMS = ("attn_norm", "ffn_norm")


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


def write_f32_copy(source: GGUFFile, path: Path) -> None:
    """The same file with every tensor as F32, for a program that would quantise along."""
    from gguf import GGUFReader, GGUFValueType, GGUFWriter

    writer = GGUFWriter(path, "llama")
    for field in GGUFReader(source.path).fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        kind, *rest = field.types
        if field.name == "general.file_type":
            writer.add_file_type(0)
        elif kind == GGUFValueType.ARRAY:
            writer.add_key_value(field.name, field.contents(), kind, sub_type=rest[-1])
        else:
            writer.add_key_value(field.name, field.contents(), kind)
    for name in source.tensors:
        writer.add_tensor(name, source.read(name))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
