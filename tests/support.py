"""What several test files use: the command line in a process, random models."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from walkthrough.reference.model import Layer, Model

ROOT = Path(__file__).resolve().parents[1]


def run_cli(
    *args: str, env: dict[str, str] | None = None, cwd: Path = ROOT, **options: object
) -> subprocess.CompletedProcess[bytes]:
    """`walkthrough ARGS` in a process of its own, output captured as bytes."""
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LC_ALL")}
    clean |= {"LANG": "en_US.UTF-8", "PYTHONIOENCODING": "utf-8"} | (env or {})
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
