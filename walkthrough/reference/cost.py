"""What attention costs, by formula: FLOPs, and bytes of K/V cache for real models.

A FLOP is one multiplication or one addition, so a multiply-add is two. `n` queries over `m`
keys of `d` numbers: Q·Kᵀ takes 2·n·m·d, and weights·V as much again.
"""

from __future__ import annotations

from dataclasses import dataclass

DTYPE_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float8": 1}


def score_flops(n: int, m: int, d: int) -> int:
    """FLOPs of Q·Kᵀ alone: n queries, m keys, rows of d numbers."""
    return 2 * n * m * d


def attention_flops(n: int, m: int, d: int) -> int:
    """FLOPs of Q·Kᵀ and of weights·V."""
    return 2 * score_flops(n, m, d)


def projection_flops(n: int, d_model: int, d: int) -> int:
    """FLOPs of projecting n embeddings of d_model numbers to rows of d numbers (one of Q, K, V)."""
    return 2 * n * d_model * d


def generation_flops(prompt: int, new: int, d_model: int, d: int, *, cached: bool) -> int:
    """FLOPs of one head for a whole generation: Q, K, V, scores and weights·V of every step.

    `prompt` tokens go in and `new` tokens come out, which takes `new` forward passes. With a
    cache the first feeds the prompt and each later one a single token; without, each feeds all.
    """
    if prompt < 1 or new < 0:
        raise ValueError(f"prompt must be at least 1 and new at least 0, got {prompt} and {new}")
    total = 0
    for step in range(new):
        m = prompt + step  # tokens that exist at this step
        n = 1 if cached and step else m  # tokens that are fed
        total += 3 * projection_flops(n, d_model, d) + attention_flops(n, m, d)
    return total


@dataclass(frozen=True)
class Geometry:
    """The sizes of a real model that decide how large its K/V cache is.

    `latent` is set for multi-head latent attention: the numbers that a token stores in each
    layer in place of K and V rows.
    """

    layers: int
    h: int  # query heads
    h_kv: int  # K/V heads
    d_k: int
    d_model: int
    max_tokens: int  # longest context of the published configuration
    source: str
    latent: int | None = None

    @property
    def numbers_per_token(self) -> int:
        """Numbers cached for one token: 2 · layers · h_kv · d_k, or layers · latent."""
        if self.latent is not None:
            return self.layers * self.latent
        return 2 * self.layers * self.h_kv * self.d_k

    def bytes_per_token(self, dtype: str = "float16") -> int:
        """Bytes of cache for one token, in a dtype of `DTYPE_BYTES`."""
        if dtype not in DTYPE_BYTES:
            raise ValueError(f"unknown dtype {dtype!r}; known: {', '.join(DTYPE_BYTES)}")
        return self.numbers_per_token * DTYPE_BYTES[dtype]

    def cache_bytes(self, tokens: int, dtype: str = "float16") -> int:
        """Bytes of cache for a sequence of that many tokens."""
        if tokens < 0:
            raise ValueError(f"tokens must be at least 0, got {tokens}")
        return tokens * self.bytes_per_token(dtype)


# Each row is the model's published configuration (config.json of the named model card):
# num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, hidden_size,
# max_position_embeddings. DeepSeek: kv_lora_rank 512 + qk_rope_head_dim 64 numbers a layer.
GEOMETRIES: dict[str, Geometry] = {
    "llama2-7b": Geometry(32, 32, 32, 128, 4096, 4096, "meta-llama/Llama-2-7b-hf"),
    "llama2-13b": Geometry(40, 40, 40, 128, 5120, 4096, "meta-llama/Llama-2-13b-hf"),
    "llama2-70b": Geometry(80, 64, 8, 128, 8192, 4096, "meta-llama/Llama-2-70b-hf"),
    "llama3-8b": Geometry(32, 32, 8, 128, 4096, 8192, "meta-llama/Meta-Llama-3-8B"),
    "llama3-70b": Geometry(80, 64, 8, 128, 8192, 8192, "meta-llama/Meta-Llama-3-70B"),
    "mistral-7b": Geometry(32, 32, 8, 128, 4096, 32768, "mistralai/Mistral-7B-v0.3"),
    "qwen2.5-7b": Geometry(28, 28, 4, 128, 3584, 32768, "Qwen/Qwen2.5-7B-Instruct"),
    "qwen3-8b": Geometry(36, 32, 8, 128, 4096, 40960, "Qwen/Qwen3-8B"),
    "opt-13b": Geometry(40, 40, 40, 128, 5120, 2048, "facebook/opt-13b"),
    "smollm2-135m": Geometry(30, 9, 3, 64, 576, 8192, "HuggingFaceTB/SmolLM2-135M-Instruct"),
    "deepseek-v3": Geometry(
        61, 128, 128, 128, 7168, 163840, "deepseek-ai/DeepSeek-V3", latent=512 + 64
    ),
}


def geometry(name: str) -> Geometry:
    """The geometry of a real model; an unknown name raises ValueError with the known ones.

    Sources: the configuration published with each model card (see `Geometry.source`).
    LLaMA-2 7B, 13B and OPT-13B keep one K/V head for each query head; LLaMA-2 70B, Llama-3,
    Mistral, Qwen and SmolLM2 share K/V heads (grouped-query attention); DeepSeek-V3 stores a
    compressed vector of 512 numbers and 64 of position in place of K and V (DeepSeek-V2
    report, section 2.1: "Multi-Head Latent Attention").
    """
    if name not in GEOMETRIES:
        raise ValueError(f"unknown model {name!r}; known: {', '.join(GEOMETRIES)}")
    return GEOMETRIES[name]
