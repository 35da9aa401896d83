"""Examples of a teacher's own, other than the text's in every size."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

TEACHERS = {
    "three heads": """
        prompt = ["the", "cat", "the"]
        eos = "."
        d_model = 6
        heads = 3
        d_k = 2
        tokens = ["the", "cat", "sat", "."]
        """,
    "one head, one token": """
        prompt = ["a"]
        eos = "b"
        d_model = 3
        heads = 1
        d_k = 5
        tokens = ["a", "b"]
        """,
    "ends at once": """
        prompt = ["x"]
        eos = "x"
        d_model = 2
        heads = 1
        d_k = 1
        tokens = ["x", "y"]
        scale = 0
        """,
    "large numbers": """
        prompt = ["x", "y"]
        eos = "z"
        d_model = 4
        heads = 2
        d_k = 2
        tokens = ["x", "y", "z"]
        scale = 150
        """,
}


def teachers_file(text: str, path: Path) -> Path:
    """A whole example file with random numbers, from its sizes and tokens."""
    sizes = tomllib.loads(text)
    rng, factor = np.random.default_rng(1), sizes.get("scale", 1)

    def numbers(*shape: int) -> str:
        return str((rng.normal(size=shape) * factor).tolist())

    d_model, heads, d_k = (sizes[key] for key in ("d_model", "heads", "d_k"))
    lines = [f"{key} = {sizes[key]!r}" for key in ("prompt", "eos", "d_model", "heads", "d_k")]
    for token in sizes["tokens"]:
        lines += ["[[token]]", f"text = {token!r}", f"embedding = {numbers(d_model)}"]
    for _ in range(heads):
        lines.append("[[head]]")
        lines += [f"{name} = {numbers(d_model, d_k)}" for name in ("W_Q", "W_K", "W_V")]
    lines += ["[output]", f"W_O = {numbers(heads * d_k, d_model)}"]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
