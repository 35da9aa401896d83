"""All that `walkthrough simulate` computes: the same requests under each policy, and more.

What takes long is followed by a `Watched`, which names it and says how much there is to do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from walkthrough.serving.memory import POLICIES, ContiguousMemory, Memory, PagedMemory
from walkthrough.serving.queue import Outcome, serve_queue
from walkthrough.serving.replay import replay
from walkthrough.serving.sharing import saved_by_beams, saved_by_samples
from walkthrough.serving.workloads import Lengths

SAMPLED = 40_000  # output tokens of the requests that the sharing figures are computed with
REPLACED = 0.1  # how often a beam is given up for another
OUTPUTS = (2, 4, 6)  # of one prompt
CACHE_BLOCKS = 10_000  # of the replay

Watched = Callable[[str, float], AbstractContextManager[Callable[[float], None]]]


@dataclass(frozen=True)
class MemorySizes:
    """The memory that requests are served from, and the longest one that is let in."""

    slots: int
    longest: int  # tokens
    block_size: int


USUAL_SIZES = MemorySizes(15_728, 2_048, 16)
MOONCAKE_SIZES = MemorySizes(5_120_000, 131_072, 512)


@dataclass(frozen=True)
class ServedQueue:
    """What came of each policy."""

    outcomes: dict[str, Outcome]
    hits: float  # of the prompts' tokens, those found in the prefix cache: a share, 0 to 1

    @property
    def refused(self) -> dict[str, int]:
        """By policy: requests that would not fit even into an empty memory."""
        return {name: found.refused for name, found in self.outcomes.items() if found.refused}

    @property
    def roomy(self) -> list[str]:
        """Policies whose memory was never full, and who therefore have no figures."""
        return [name for name, found in self.outcomes.items() if not found.steps]


def serve_by_each_policy(
    requests: Sequence[Lengths], sizes: MemorySizes, sharing: bool, watched: Watched
) -> ServedQueue:
    """Serve the queue from each contiguous memory, from blocks, and with prefixes shared."""
    memories: dict[str, Memory] = {
        name: ContiguousMemory(sizes.slots, sizes.longest, policy)
        for name, policy in POLICIES.items()
    }
    memories["paged"] = PagedMemory(sizes.slots, sizes.block_size)
    shared = PagedMemory(sizes.slots, sizes.block_size, sharing=True)
    if sharing:
        memories["shared"] = shared
    outcomes = {}
    for name, memory in memories.items():
        with watched(name, len(requests)) as advance:
            outcomes[name] = serve_queue(requests, memory, _each(advance))
    return ServedQueue(outcomes, shared.hits / sum(request.prompt for request in requests))


def _each(advance: Callable[[float], None]) -> Callable[[], None]:
    return lambda: advance(1)


def first_requests(requests: Sequence[Lengths]) -> list[Lengths]:
    """As many of them as have `SAMPLED` output tokens."""
    sampled: list[Lengths] = []
    while len(sampled) < len(requests) and sum(r.output for r in sampled) < SAMPLED:
        sampled.append(requests[len(sampled)])
    return sampled


def blocks_saved(
    requests: Sequence[Lengths], block_size: int, rng: random.Random, watched: Watched
) -> list[tuple[str, int, float]]:
    """Blocks saved by forks: the way, how many outputs a prompt has, and the share saved."""
    rows: list[tuple[str, int, float]] = []
    with watched("forking", 2 * len(OUTPUTS) * len(requests)) as advance:
        for n in OUTPUTS:
            saved = saved_by_samples(requests, n, block_size, _each(advance))
            rows.append(("parallel", n, saved.share))
        for n in OUTPUTS:
            saved = saved_by_beams(requests, n, block_size, REPLACED, rng, _each(advance))
            rows.append(("beam", n, saved.share))
    return rows


def replayed(requests: Sequence[Lengths], watched: Watched) -> list[float]:
    """Prefix hits in order of arrival, as shares: without an end to the cache, and with one."""
    blocks = sum(len(request.content) for request in requests)
    with watched("replaying", 2 * len(requests)) as advance:
        return [replay(requests, size, _each(advance)).share for size in (blocks + 1, CACHE_BLOCKS)]


def filled_at_the_end(requests: Sequence[Lengths], sizes: MemorySizes) -> dict[str, float]:
    """How full each request's own memory is when it ends, its last token counted as stored."""
    tokens = [request.prompt + request.output for request in requests]
    slots = [-(-count // sizes.block_size) * sizes.block_size for count in tokens]
    fit = [count for count in tokens if count <= sizes.longest]
    return {
        "paged": sum(a / b for a, b in zip(tokens, slots, strict=True)) / len(tokens),
        "all": sum(tokens) / sum(slots),
        "fit": len(fit) / len(tokens),
        "contiguous": sum(fit) / len(fit) / sizes.longest,
    }
