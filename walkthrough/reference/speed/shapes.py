"""All sizes of real models: what a step multiplies, and the bytes that it has to read for that.

`cost.Geometry` has what decides about the K/V cache; here stands the rest. Dense decoders with
a gated feed-forward layer alone: three matrices of d_model · d_ff.
"""

from __future__ import annotations

from dataclasses import dataclass

from walkthrough.reference.cost import GEOMETRIES, Geometry


@dataclass(frozen=True)
class ModelShape:
    """A model's sizes, and the parameters that they come to."""

    geometry: Geometry
    d_ff: int
    vocabulary: int
    tied: bool = False  # the output layer is the embedding
    qk_norm: bool = False  # queries and keys are normed, a weight for each number of a head
    qkv_bias: bool = False

    @property
    def linear_parameters(self) -> int:
        """The matrices of all layers: Q, K, V, O, and three of the feed-forward layer."""
        g = self.geometry
        attention = g.d_model * g.h * g.d_k * 2 + g.d_model * g.h_kv * g.d_k * 2
        return g.layers * (attention + 3 * g.d_model * self.d_ff)

    @property
    def output_parameters(self) -> int:
        """The output layer's matrix, d_model · vocabulary."""
        return self.geometry.d_model * self.vocabulary

    @property
    def vector_parameters(self) -> int:
        """The weights of the norms, and biases where there are any."""
        g = self.geometry
        in_a_layer = 2 * g.d_model
        if self.qk_norm:
            in_a_layer += 2 * g.d_k
        if self.qkv_bias:
            in_a_layer += (g.h + 2 * g.h_kv) * g.d_k
        return g.layers * in_a_layer + g.d_model

    @property
    def parameters(self) -> int:
        """All of them, the embedding too; a tied one is counted once."""
        matrices = self.linear_parameters + self.output_parameters * (1 if self.tied else 2)
        return matrices + self.vector_parameters

    @property
    def parameters_read(self) -> int:
        """What a step reads whole, however many tokens it feeds: all but the embedding.

        Of the embedding it looks up a row a token. A tied one is read as the output layer.
        """
        return self.linear_parameters + self.output_parameters + self.vector_parameters


# intermediate_size and vocab_size of the configuration published with each model card.
SHAPES: dict[str, ModelShape] = {
    "llama2-7b": ModelShape(GEOMETRIES["llama2-7b"], 11008, 32000),
    "llama2-13b": ModelShape(GEOMETRIES["llama2-13b"], 13824, 32000),
    "llama2-70b": ModelShape(GEOMETRIES["llama2-70b"], 28672, 32000),
    "llama3-8b": ModelShape(GEOMETRIES["llama3-8b"], 14336, 128256),
    "llama3-70b": ModelShape(GEOMETRIES["llama3-70b"], 28672, 128256),
    "mistral-7b": ModelShape(GEOMETRIES["mistral-7b"], 14336, 32768),
    "yi-34b": ModelShape(Geometry(60, 56, 8, 128, 7168, 4096, "01-ai/Yi-34B"), 20480, 64000),
    "qwen2.5-7b": ModelShape(GEOMETRIES["qwen2.5-7b"], 18944, 152064, qkv_bias=True),
    "qwen3-0.6b": ModelShape(
        Geometry(28, 16, 8, 128, 1024, 40960, "Qwen/Qwen3-0.6B"),
        *(3072, 151936),
        tied=True,
        qk_norm=True,
    ),
    "qwen3-4b": ModelShape(
        Geometry(36, 32, 8, 128, 2560, 40960, "Qwen/Qwen3-4B"),
        *(9728, 151936),
        tied=True,
        qk_norm=True,
    ),
    "qwen3-8b": ModelShape(GEOMETRIES["qwen3-8b"], 12288, 151936, qk_norm=True),
    "smollm2-135m": ModelShape(GEOMETRIES["smollm2-135m"], 1536, 49152, tied=True),
}


def model_shape(name: str) -> ModelShape:
    """The shape of a real model; an unknown name raises ValueError with the known ones."""
    if name not in SHAPES:
        raise ValueError(f"unknown model {name!r}; known: {', '.join(SHAPES)}")
    return SHAPES[name]
