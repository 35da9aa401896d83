"""The roofline beside what others measured and published: the ratios that the lessons speak of."""

from __future__ import annotations

import pytest

from walkthrough.reference.speed.machines import machine
from walkthrough.reference.speed.roofline import (
    StepLoad,
    decode_load,
    prefill_load,
    step_cost,
    step_time,
)
from walkthrough.reference.speed.shapes import SHAPES


def milliseconds(name: str, where: str, load: StepLoad) -> float:
    return 1e3 * step_time(step_cost(SHAPES[name], load), machine(where))


def linear_layers(n: int, where: str) -> float:
    """The linear layers of LLaMA-2 7B alone; Q, K, V are one matrix, so are gate and up."""
    shape, here = SHAPES["llama2-7b"], machine(where)
    rows = n * shape.geometry.layers * (8 * shape.geometry.d_model + 3 * shape.d_ff)
    computing = 2 * n * shape.linear_parameters / here.flops_per_second
    moved = 2 * (shape.linear_parameters + rows)
    return 1e3 * max(computing, moved / here.bytes_per_second)


def whole_run(name: str, where: str, b: int, prompt: int, output: int) -> float:
    """B prompts in one step, then a decode step for each further token."""
    together = StepLoad(b * prompt, b, b * prompt * (prompt + 1) // 2, b * prompt)
    decodes = (milliseconds(name, where, decode_load(b, prompt + i)) for i in range(1, output))
    return milliseconds(name, where, together) + sum(decodes)


@pytest.mark.parametrize(
    ("where", "n", "measured", "ratio"),
    [
        # Vidur's profiling data (mlp.csv, no tensor parallelism), in milliseconds
        *(("a100", *row) for row in ((1, 8.51, 1.34), (8, 8.32, 1.31), (64, 8.90, 1.37))),
        *(("a100", *row) for row in ((128, 11.2, 1.69), (192, 14.7, 1.84), (256, 16.1, 1.51))),
        *(("a100", *row) for row in ((512, 30.5, 1.43), (2048, 122.4, 1.44), (4096, 236.8, 1.39))),
        *(("h100", *row) for row in ((1, 4.99, 1.29), (128, 5.76, 1.43), (256, 8.32, 1.99))),
        *(("h100", *row) for row in ((512, 10.5, 1.57), (4096, 71.1, 1.33))),
    ],
)
def test_linear_layers(where: str, n: int, measured: float, ratio: float) -> None:
    assert measured / linear_layers(n, where) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize(
    ("name", "where", "n", "measured", "ratio"),
    [
        # TensorRT-LLM's documentation (v0.5): the first token
        ("llama2-7b", "a100", 128, 16, 2.24),
        ("llama2-7b", "a100", 2048, 133, 1.50),
        ("llama2-70b", "4xa100", 128, 47, 2.66),
        ("llama2-70b", "4xa100", 2048, 377, 1.65),
        # Splitwise's perf_model.csv
        ("llama2-70b", "2xa100", 512, 197, 1.75),
        ("llama2-70b", "2xa100", 4096, 1485, 1.59),
        ("llama2-70b", "8xa100", 512, 94, 3.33),
    ],
)
def test_prefill(name: str, where: str, n: int, measured: float, ratio: float) -> None:
    assert measured / milliseconds(name, where, prefill_load(n)) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize(
    ("where", "b", "measured", "ratio"),
    [("2xa100", 1, 54.9, 1.63), ("2xa100", 32, 72.2, 2.04), ("8xa100", 1, 44.9, 5.32)],
)
def test_a_token_on_several_gpus(where: str, b: int, measured: float, ratio: float) -> None:
    # Splitwise's perf_model.csv: what GPUs send one another is outside the model
    found = milliseconds("llama2-70b", where, decode_load(b, 512))
    assert measured / found == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize(
    ("b", "prompt", "output", "measured", "share"),
    [(384, 128, 128, 5586, 0.63), (60, 128, 2048, 1928, 0.79), (52, 2048, 128, 591, 0.80)],
)
def test_tokens_a_second(b: int, prompt: int, output: int, measured: float, share: float) -> None:
    # TensorRT-LLM's documentation (v0.6.1), LLaMA-7B on an A100
    most = 1e3 * b * output / whole_run("llama2-7b", "a100", b, prompt, output)
    assert measured / most == pytest.approx(share, abs=0.006)


def test_a_whole_run_on_an_h200() -> None:
    # vLLM's nightly benchmark, Llama-3.1 8B, 8 requests of 32 tokens, 128 more each: 833 ms
    assert 833 / whole_run("llama3-8b", "h200", 8, 32, 128) == pytest.approx(2.05, abs=0.006)


def test_a_row_that_beats_the_roof_cannot_be_right() -> None:
    # perf_model.csv has 794 ms for 64 prompts of 512 on two A100
    together = StepLoad(64 * 512, 64, 64 * 512 * 513 // 2, 64 * 512)
    assert milliseconds("llama2-70b", "2xa100", together) > 9 * 794
