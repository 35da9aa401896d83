"""What this machine does at its best, with NumPy: bytes a second, FLOPs a second, one layer.

The best of a few runs counts, not their median: a roof is what can be reached. NumPy copies on
one core and multiplies on all that its BLAS library uses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import numpy as np

COPY_BYTES = 192 << 20  # source and target together are more than any cache
MATRIX = 1536  # rows and columns
RUNS = 5


def best_seconds(job: Callable[[], object], runs: int = RUNS) -> float:
    """The shortest of several runs, behind one that does not count."""
    job()
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        found.append(time.perf_counter() - start)
    return min(found)


def copy_bandwidth(nbytes: int = COPY_BYTES, runs: int = RUNS) -> float:
    """Bytes a second that a plain copy reads and writes together."""
    source = np.full(nbytes // 4, 0.5, np.float32)
    target = np.empty_like(source)
    return 2 * source.nbytes / best_seconds(lambda: np.copyto(target, source), runs)


def matmul_rate(n: int = MATRIX, runs: int = RUNS) -> float:
    """FLOPs a second of a product of two float32 matrices, n by n."""
    A, B = (np.full((n, n), 0.5, np.float32) for _ in range(2))
    out = np.empty_like(A)
    return 2 * n**3 / best_seconds(lambda: np.matmul(A, B, out=out), runs)


def linear_seconds(d_in: int, d_out: int, rows: Iterable[int], runs: int = 2) -> dict[int, float]:
    """Seconds of x·W in float32 for each number of rows of x; W (d_in, d_out) is one matrix.

    One row is a matrix times a vector, another kernel of the BLAS library than two rows.
    """
    W = np.full((d_in, d_out), 0.5, np.float32)
    found = {}
    for b in rows:
        x, out = np.full((b, d_in), 0.5, np.float32), np.empty((b, d_out), np.float32)
        found[b] = best_seconds(lambda x=x, out=out: np.matmul(x, W, out=out), runs)  # type: ignore[misc]
    return found


def linear_bytes(d_in: int, d_out: int, b: int, size: int = 4) -> int:
    """Bytes of x·W: the weights, the rows that go in, the rows that come out."""
    return size * (d_in * d_out + b * (d_in + d_out))
