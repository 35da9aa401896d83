"""How often blocks of earlier prompts come again: a trace replayed through the prefix cache.

One id of the trace stands for one block of 512 tokens, so here a block holds one id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence
from walkthrough.serving.workloads import Lengths

END = -1  # one more id behind a prompt: `match` never gives the last one as a hit


@dataclass
class Hits:
    """Blocks of prompts, and how many of them were there already."""

    blocks: int = 0
    hits: int = 0

    @property
    def share(self) -> float:
        """Hits among blocks, 0 to 1."""
        return self.hits / self.blocks if self.blocks else 0.0


def replay(
    requests: Iterable[Lengths], num_blocks: int, advance: Callable[[], None] = lambda: None
) -> Hits:
    """Each prompt in turn, alone, through a cache of `num_blocks` blocks; longest prefix.

    Of a prompt that is longer than the cache only the beginning is kept.
    """
    pool = BlockPool(num_blocks + 1)
    cache = PrefixCache(pool, 1)
    hits = Hits()
    for request in requests:
        prompt = request.content[: num_blocks - 1]
        sequence = Sequence(pool, 1, cache)
        found = sequence.reuse_prefix((*prompt, END))
        sequence.append(prompt[found:])
        sequence.free()
        hits.blocks += len(request.content)
        hits.hits += found
        advance()
    return hits
