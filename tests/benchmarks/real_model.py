"""The real model in NumPy beside transformers, on one thread and the same float32 weights.

    python tests/benchmarks/real_model.py [RUNS]

Needs the extras `model` and `peers`, torch, and the file of `walkthrough model get`. Every run
prefills 512 tokens and then decodes 16, each way in turn, so that a drift of the machine meets
all; medians of RUNS (default 5) after one warm-up, all in one process and one run. The floor of a
decode step is the time to read the weights once, as a sum over them. Loading is timed in
processes of their own. Prints a table, and exits with 1 where a ratio is over its target.
"""

from __future__ import annotations

import os

os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # before NumPy is imported

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import torch
from transformers import DynamicCache

sys.path.insert(0, str(Path(__file__).parents[1]))

from helpers.peers import to_transformers

from gpu.llama import over_blocks
from walkthrough.llm import smollm2
from walkthrough.llm.llama import Llama
from walkthrough.llm.loading import load_model
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.cache import ContiguousCache
from walkthrough.reference.model import next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage

PROMPT, NEW = 512, 16
DECODE_TARGET, PREFILL_TARGET, LOAD_TARGET = 1.0, 1.5, 2.0
LOAD = (
    "import time; start = time.perf_counter()\n"
    "from walkthrough.llm import loading, smollm2\n"
    "loading.load_model(smollm2.model_path())\n"
    "print(time.perf_counter() - start)\n"
)
Way = Callable[[list[int]], object]


def ways(model: Llama) -> dict[str, Callable[[], Way]]:
    """By name: what makes a fresh cache, and gives what feeds it tokens."""
    peer = to_transformers(model)
    shape, length = model.cache_shape, PROMPT + NEW

    def transformers() -> Way:
        cache = DynamicCache(config=peer.config)
        return lambda ids: peer(torch.tensor([ids]), cache=cache, logits_to_keep=1)

    def contiguous() -> Way:
        cache = ContiguousCache(length, **shape)
        return lambda ids: next_logits(model, ids, cache)

    def paged(kind: type[PagedCache]) -> Way:
        blocks = -(-length // 16) + 1
        cache = kind(PagedStorage(blocks, 16, **shape), Sequence(BlockPool(blocks), 16))
        return lambda ids: next_logits(model, ids, cache)

    def in_torch() -> Way:
        tensors, cache = over_blocks(model, 16, length, threads=1)
        return lambda ids: next_logits(tensors, ids, cache)  # type: ignore[arg-type]

    return {
        "transformers": transformers,
        "NumPy, contiguous": contiguous,
        "NumPy, paged, gathered": lambda: paged(GatheredCache),
        "NumPy, paged, by blocks": lambda: paged(PagedCache),
        "torch, paged": in_torch,
    }


def timed(way: Way, ids: list[int]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    way(ids)
    return 1000 * (time.perf_counter() - start)


def main() -> int:
    """Measure every way and print the ratios to transformers."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.set_num_threads(1)
    loads = []
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", LOAD], capture_output=True, text=True, check=True
        )
        loads.append(float(done.stdout))
    model = load_model(smollm2.model_path()).model
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    weights = [model.embedding, *(w for layer in model.layers for w in vars(layer).values())]
    prompt = np.random.default_rng(0).integers(0, model.vocabulary, PROMPT).tolist()
    makers = ways(model)
    prefill: dict[str, list[float]] = {name: [] for name in makers}
    decode: dict[str, list[float]] = {name: [] for name in makers}
    floor = []
    with torch.inference_mode():
        for _ in range(runs + 1):
            started = {name: make() for name, make in makers.items()}
            for name, way in started.items():
                prefill[name].append(timed(way, prompt))
            steps: dict[str, list[float]] = {name: [] for name in makers}
            for i in range(NEW):
                for name, way in started.items():
                    steps[name].append(timed(way, [prompt[i]]))
            for name in makers:
                decode[name].append(median(steps[name]))
            floor.append(timed(lambda _: [w.sum() for w in weights], []))
    print(f"{os.cpu_count()} CPUs, one thread, medians of {runs} runs; NumPy {np.__version__}, ")
    print(f"torch {torch.__version__}; prefill of {PROMPT} tokens, decode of {NEW} behind it\n")
    print(f"{'way':<26}{'prefill ms':>11}{'ratio':>7}{'decode ms':>11}{'ratio':>7}")
    middle = {name: (median(prefill[name][1:]), median(decode[name][1:])) for name in makers}
    base = middle["transformers"]
    for name, (first, later) in middle.items():
        ratios = f"{first:>11.1f}{first / base[0]:>7.2f}{later:>11.1f}{later / base[1]:>7.2f}"
        print(f"{name:<26}{ratios}")
    print(f"{'reading the weights once':<44}{median(floor[1:]):>11.1f}")
    print(
        f"\nload {median(loads):.2f} s (fastest {min(loads):.2f}), then {peak:.0f} MiB at the most"
    )
    ours = middle["NumPy, paged, gathered"]
    within = ours[0] <= PREFILL_TARGET * base[0] and ours[1] <= DECODE_TARGET * base[1]
    return 0 if within and min(loads) <= LOAD_TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
