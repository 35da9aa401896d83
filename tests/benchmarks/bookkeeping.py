"""What the bookkeeping of blocks costs, beside the same loop over a bare list of block ids.

    python tests/benchmarks/bookkeeping.py [RUNS]

Requests with a prompt of 300 tokens, each followed by 32 single appends, in blocks of 16, from a
pool of 8,192, 128 alive at a time, about 1e5 blocks in all. The yardstick copies the token list,
appends to it one by one, takes blocks by slicing and `pop()` and gives them back by `extend()`,
with no counts and no hashes. CPU time, each beside the yardstick in turn, medians of RUNS
(default 5), all in one run. `relative` is yardstick / ours: 1 would be as fast as the bare list.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from statistics import median

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence

PROMPT, APPENDS, SIZE, POOL, ALIVE, BLOCKS = 300, 32, 16, 8192, 128, 100_000
REQUESTS = BLOCKS // -(-(PROMPT + APPENDS) // SIZE)

Prompts = list[list[int]]


def different() -> Prompts:
    """Prompts that share nothing."""
    return [list(range(r * PROMPT, (r + 1) * PROMPT)) for r in range(REQUESTS)]


def common() -> Prompts:
    """Prompts that begin with the same ten blocks."""
    prefix = list(range(10 * SIZE))
    return [prefix + prompt[10 * SIZE :] for prompt in different()]


def bare(prompts: Prompts, alive: int) -> None:
    """The yardstick: a list of free block ids and nothing else."""
    free = list(range(1, POOL))
    running: deque[list[int]] = deque()
    for prompt in prompts:
        tokens = prompt.copy()
        count = -(-len(tokens) // SIZE)
        table = free[-count:]
        del free[-count:]
        for token in range(APPENDS):
            if len(tokens) % SIZE == 0:
                table.append(free.pop())
            tokens.append(token)
        running.append(table)
        if len(running) == alive:
            free.extend(running.popleft())


def paged(prompts: Prompts, alive: int, caching: bool) -> None:
    """The same requests over the project's pool, sequences and prefix cache."""
    pool = BlockPool(POOL)
    cache = PrefixCache(pool, SIZE) if caching else None
    running: deque[Sequence] = deque()
    for prompt in prompts:
        sequence = Sequence(pool, SIZE, cache)
        hit = sequence.reuse_prefix(prompt)
        sequence.append(prompt[hit:] if hit else prompt)
        for token in range(APPENDS):
            sequence.append_token(token)
        running.append(sequence)
        if len(running) == alive:
            running.popleft().free()


def seconds(run: Callable[[], None]) -> float:
    """CPU time of one run."""
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> int:
    """Measure every pattern and print the table; 1 where one is below its target."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    print(f"Python {sys.version.split()[0]}, {REQUESTS} requests, medians of {runs} runs\n")
    print(f"{'pattern':<44}{'bare ms':>9}{'ours ms':>9}{'relative':>10}{'target':>8}")
    within = True
    for name, prompts, alive, caching, target in (
        ("no hashing", different(), ALIVE, False, 0.27),
        ("hashing, all prompts different", different(), ALIVE, True, 0.07),
        ("hashing, ten common prefix blocks", common(), ALIVE, True, 0.07),
        ("hashing, common prefix, one request alive", common(), 1, True, 0.07),
    ):
        pairs = [
            (
                seconds(lambda p=prompts, a=alive: bare(p, a)),
                seconds(lambda p=prompts, a=alive, c=caching: paged(p, a, c)),
            )
            for _ in range(runs + 1)
        ][1:]  # the first warms up
        yardstick, ours = (median(column) for column in zip(*pairs, strict=True))
        relative = yardstick / ours
        within &= relative >= target
        print(
            f"{name:<44}{yardstick * 1000:>9.1f}{ours * 1000:>9.1f}{relative:>10.2f}{target:>8.2f}"
        )
    within &= main_pool_sizes()
    return 0 if within else 1


def main_pool_sizes() -> bool:
    """The cost of an operation does not grow with the pool."""
    print(f"\n{'pool':>12}{'µs to take, cache, free and revive a block':>50}")
    costs = []
    for num_blocks in (8_192, 262_144, 8_388_608):
        pool = BlockPool(num_blocks)
        cache = PrefixCache(pool, 1)
        tokens = list(range(2000))
        holders = []
        for base in range(0, min(num_blocks, 200_000) - 4001, 2000):  # a long free queue
            sequence = Sequence(pool, 1, cache)
            sequence.append(range(base, base + 2000))
            holders.append(sequence)
        for sequence in holders:
            sequence.free()

        def once(
            pool: BlockPool = pool, cache: PrefixCache = cache, tokens: list[int] = tokens
        ) -> None:
            for _ in range(10):
                sequence = Sequence(pool, 1, cache)
                sequence.append(tokens[sequence.reuse_prefix(tokens) :])
                sequence.free()

        costs.append(median(seconds(once) for _ in range(5)) / 20_000 * 1e6)
        print(f"{num_blocks:>12,}{costs[-1]:>50.2f}")
    return max(costs) < 2 * min(costs)


if __name__ == "__main__":
    sys.exit(main())
