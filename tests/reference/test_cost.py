"""Costs by formula, against published figures and against counting."""

from __future__ import annotations

import numpy as np
import pytest

from walkthrough.reference import cost
from walkthrough.reference.attention import attend, project
from walkthrough.reference.work import Work


@pytest.mark.parametrize(
    ("name", "bytes_per_token"),
    [
        ("llama2-7b", 524_288),
        ("llama2-13b", 819_200),
        ("llama3-8b", 131_072),
        ("llama3-70b", 327_680),
        ("opt-13b", 819_200),
        ("qwen2.5-7b", 57_344),
        ("mistral-7b", 131_072),
        ("deepseek-v3", 70_272),
    ],
)
def test_bytes_per_token_in_fp16(name: str, bytes_per_token: int) -> None:
    assert cost.geometry(name).bytes_per_token() == bytes_per_token


def test_llama2_7b_at_4096_tokens_is_2_gib() -> None:
    assert cost.geometry("llama2-7b").cache_bytes(4096) == 2 * 2**30
    assert cost.geometry("llama2-7b").cache_bytes(16) == 8 * 2**20
    assert cost.geometry("llama2-7b").cache_bytes(1, "float32") == 2 * 524_288


def test_every_geometry_is_possible() -> None:
    for name, g in cost.GEOMETRIES.items():
        assert g.h % g.h_kv == 0, name
        assert "/" in g.source, name


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(ValueError, match="unknown model 'llama9'; known: llama2-7b, llama2-13b"):
        cost.geometry("llama9")
    with pytest.raises(ValueError, match="unknown dtype 'int3'; known: float32"):
        cost.geometry("llama2-7b").bytes_per_token("int3")
    with pytest.raises(ValueError, match="at least 0, got -1"):
        cost.geometry("llama2-7b").cache_bytes(-1)
    with pytest.raises(ValueError, match="got 0 and 1"):
        cost.generation_flops(0, 1, 4, 2, cached=True)


@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (3, 5, 2), (1, 100, 64)])
def test_formulas_agree_with_counting(n: int, m: int, d: int) -> None:
    work = Work()
    attend(np.ones((n, d)), np.ones((m, d)), np.ones((m, d)), work=work)
    assert work.flops == cost.attention_flops(n, m, d) == 2 * cost.score_flops(n, m, d)
    work = Work()
    project(np.ones((n, m)), np.ones((m, d)), work)
    assert work.flops == cost.projection_flops(n, m, d)


@pytest.mark.parametrize("cached", [True, False])
def test_what_generates_nothing_costs_nothing(cached: bool) -> None:
    assert cost.generation_flops(3, 0, 4, 2, cached=cached) == 0
    one = 3 * cost.projection_flops(3, 4, 2) + cost.attention_flops(3, 3, 2)
    assert cost.generation_flops(3, 1, 4, 2, cached=cached) == one
    with pytest.raises(ValueError, match="new at least 0, got 3 and -1"):
        cost.generation_flops(3, -1, 4, 2, cached=cached)
