"""What scheduling and building tables add to a decode step of a batch of 256 sequences.

    python tests/benchmarks/scheduling.py [STEPS]

256 sequences of 4,096 tokens in blocks of 16 are decoded by the scheduler, over the pool and block
tables that everything else uses. Timed in turn, in one run, per step: `schedule`, building the
batch (tables, lengths, slots) and `advance`; and beside it a part of the decode step of LLaMA-2 7B
on the CPU: one matrix product of one layer, (256, 4096) by (4096, 11008) in float32. A whole step
has seven products in each of 32 layers, and attention, so the share printed is an upper bound.
Medians of STEPS (default 9). Exit status 1 where the share is 5 % or more.
"""

from __future__ import annotations

import sys
import time
from statistics import median

import torch

from gpu.batch import make_batch
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.scheduler import Scheduler

BATCH, TOKENS, SIZE = 256, 4096, 16
D_MODEL, D_FF, LAYERS = 4096, 11008, 32
# Numbers of a layer's weights (Q, K, V, O and three of the feed-forward part) by those of one.
PRODUCTS = (4 * D_MODEL * D_MODEL + 3 * D_MODEL * D_FF) / (D_MODEL * D_FF)


def decoding(steps: int) -> Scheduler:
    """A scheduler whose requests have all been prefilled."""
    pool = BlockPool(BATCH * (-(-(TOKENS + steps) // SIZE) + 1) + 1)
    scheduler = Scheduler(pool, SIZE, token_budget=BATCH * TOKENS)
    for i in range(BATCH):
        scheduler.submit(f"r{i}", range(i, i + TOKENS - steps), steps + 2)
    for request, _ in scheduler.schedule().feed:
        scheduler.advance(request, 1)
    return scheduler


def main() -> int:
    """Print the times and the share."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    scheduler = decoding(steps)
    x, W = torch.randn(BATCH, D_MODEL), torch.randn(D_MODEL, D_FF)
    bookkeeping, products = [], []
    for _ in range(steps):
        begin = time.perf_counter()
        step = scheduler.schedule()
        feed = [(r.sequence, len(ids)) for r, ids in step.feed if r.sequence is not None]
        batch = make_batch(feed)
        slots = [s.slot(len(s) - 1) for s, _ in feed]
        for request, _ in step.feed:
            scheduler.advance(request, 1)
        bookkeeping.append(time.perf_counter() - begin)
        assert len(slots) == BATCH
        assert max(batch.query_lens) == 1
        begin = time.perf_counter()
        _ = x @ W
        products.append(time.perf_counter() - begin)
    whole = median(products) * PRODUCTS * LAYERS
    share = median(bookkeeping) / whole
    print(f"Python {sys.version.split()[0]}, torch {torch.__version__}, medians of {steps} steps")
    print(f"scheduling and tables          {median(bookkeeping) * 1e3:10.1f} ms a step")
    print(f"matrix products, 32 layers     {whole * 1e3:10.1f} ms a step, without attention")
    print(f"share                          {share * 100:10.2f} %")
    return 0 if share < 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
