"""A trace replayed through the prefix cache, beside a bare `OrderedDict` LRU of block ids.

    python tests/benchmarks/replay.py TRACE.jsonl[.gz] [RUNS]

TRACE is in the Mooncake format. Both look up each prompt's blocks in order and count those found
before the first that is not; the cache has 10,000 blocks, then room for all. CPU time, one after
the other in turn, medians of RUNS (default 5) after one that warms up. `times` is ours / bare.
"""

from __future__ import annotations

import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from walkthrough.serving.replay import replay
from walkthrough.serving.traces import read_trace
from walkthrough.serving.workloads import Lengths

TARGET = 5.0


def bare(requests: Sequence[Lengths], capacity: int) -> int:
    """The yardstick: block ids in the order of their last use, and nothing else."""
    cache: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for request in requests:
        prefix = True
        for block in request.content:
            if block in cache:
                cache.move_to_end(block)
                hits += prefix
            else:
                prefix = False
                cache[block] = None
                if len(cache) > capacity:
                    cache.popitem(last=False)
    return hits


def seconds(run: Callable[[], object]) -> float:
    """CPU time of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    """Measure both sizes and print the table; 1 where ours takes more than the target."""
    requests = read_trace(Path(sys.argv[1])).requests
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    blocks = sum(len(request.content) for request in requests)
    print(f"Python {sys.version.split()[0]}, {len(requests):,} requests, {blocks:,} blocks, "
          f"medians of {runs} runs\n")  # fmt: skip
    print(f"{'cache':>10}{'bare hits':>11}{'our hits':>10}{'bare ms':>9}{'ours ms':>9}{'times':>7}")
    within = True
    for capacity in (10_000, blocks + 1):
        hits = bare(requests, capacity), replay(requests, capacity).hits
        pairs = [
            (
                seconds(lambda c=capacity: bare(requests, c)),
                seconds(lambda c=capacity: replay(requests, c)),
            )
            for _ in range(runs)
        ]
        yardstick, ours = (median(column) * 1000 for column in zip(*pairs, strict=True))
        within &= ours < TARGET * yardstick
        print(f"{capacity:>10,}{hits[0]:>11,}{hits[1]:>10,}{yardstick:>9.1f}{ours:>9.1f}"
              f"{ours / yardstick:>7.2f}")  # fmt: skip
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
