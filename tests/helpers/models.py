"""Random models of the reference's kind."""

from __future__ import annotations

import numpy as np

from walkthrough.reference.model import Layer, Model


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
