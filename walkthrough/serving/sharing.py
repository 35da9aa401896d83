"""How many blocks one prompt with several outputs saves, on real tables with real forks.

Saved: (blocks that all tables name − blocks in use) / blocks that all tables name, summed over
the steps, as in section 6.3 of the PagedAttention paper.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.serving.workloads import Lengths


@dataclass
class Saved:
    """Sums over steps."""

    named: int = 0  # blocks in the tables of all sequences
    used: int = 0  # blocks that these are

    def count(self, pool: BlockPool, sequences: Iterable[Sequence]) -> None:
        """Add one step."""
        self.named += sum(len(sequence.block_table) for sequence in sequences)
        self.used += pool.num_used_blocks

    @property
    def share(self) -> float:
        """Saved blocks among those named, 0 to 1."""
        return 1 - self.used / self.named if self.named else 0.0


def _prefill(prompt: int, most: int, n: int, block_size: int) -> tuple[BlockPool, Sequence]:
    """A pool that is large enough for n sequences of `most` tokens, and the prompt in it."""
    pool = BlockPool(n * -(-most // block_size) + n + 1)
    sequence = Sequence(pool, block_size)
    sequence.append([0] * prompt)
    return pool, sequence


def saved_by_samples(
    requests: Iterable[Lengths],
    n: int,
    block_size: int,
    advance: Callable[[], None] = lambda: None,
) -> Saved:
    """Each prompt with n outputs, all of the length that the workload gives the request."""
    saved = Saved()
    for request in requests:
        pool, first = _prefill(request.prompt, request.prompt + request.output, n, block_size)
        samples = [first, *(first.fork() for _ in range(n - 1))]
        saved.count(pool, samples)
        for _ in range(request.output - 1):  # the last token is never fed
            for sample in samples:
                sample.append_token(0)
            saved.count(pool, samples)
        advance()
    return saved


def saved_by_beams(
    requests: Iterable[Lengths],
    width: int,
    block_size: int,
    replaced: float,
    rng: random.Random,
    advance: Callable[[], None] = lambda: None,
) -> Saved:
    """Each prompt with `width` beams that grow together.

    Who descends from whom is a model, for lengths alone say nothing of it: in each step each
    beam is given up with probability `replaced`, and a beam drawn from all goes on twice. The
    lower it is, the longer ago all beams parted, and the less they share.
    """
    saved = Saved()
    for request in requests:
        pool, first = _prefill(request.prompt, request.prompt + request.output, width, block_size)
        beams = [first, *(first.fork() for _ in range(width - 1))]
        saved.count(pool, beams)
        for _ in range(request.output - 1):
            parents = [
                rng.randrange(width) if rng.random() < replaced else beam for beam in range(width)
            ]
            children = [beams[parent].fork() for parent in parents]
            for beam in beams:
                beam.free()
            for child in children:
                child.append_token(0)
            beams = children
            saved.count(pool, beams)
        advance()
    return saved
