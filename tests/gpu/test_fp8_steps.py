"""The reference's FP8, in NumPy, beside torch's: every number, every middle, and what is near."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from walkthrough.reference import FLOAT8


@pytest.mark.parametrize(
    ("name", "dtype", "finite"),
    [("e4m3", torch.float8_e4m3fn, 253), ("e5m2", torch.float8_e5m2, 247)],
)
def test_numpy_rounds_to_fp8_as_torch_does(name: str, dtype: torch.dtype, finite: int) -> None:
    there = torch.arange(256, dtype=torch.uint8).view(dtype).float().numpy()
    numbers = np.unique(there[np.isfinite(there)])
    assert len(numbers) == finite
    middles = (numbers[1:] + numbers[:-1]) / 2
    rng = np.random.default_rng(0)
    anywhere = rng.normal(size=20_000) * 10.0 ** rng.integers(-8, 4, 20_000)
    beside = (np.nextafter(middles, np.float32(way)) for way in (-np.inf, np.inf))
    x = np.concatenate([numbers, middles, *beside, anywhere]).astype(np.float32)
    x = x[np.abs(x) <= FLOAT8[name].largest]  # torch does not clip what is larger
    rounded = FLOAT8[name].rounded(x.astype(np.float64))
    np.testing.assert_array_equal(rounded, torch.from_numpy(x).to(dtype).float().numpy())
