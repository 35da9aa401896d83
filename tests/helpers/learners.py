"""Paged caches by name: the reference's, and a learner's own as the last exercise solves it."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from typing import Any

from walkthrough.exercises.find import choose_exercise, find_exercises
from walkthrough.paging import sequence
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.reference.paged import PagedCache, PagedStorage

SOLUTION = runpy.run_path(str(choose_exercise(find_exercises("en"), "paged_cache").solution))


class LearnersCache(SOLUTION["PagedCache"]):  # type: ignore[misc]
    """It, with the reference's words: its error, and the sequence that a cache belongs to."""

    window, sinks, num_given_back = None, 0, 0

    def __init__(self, *sizes: int, **more: int) -> None:
        super().__init__(*sizes, **more)
        self.token_ids: list[int] = []

    @property
    def sequence(self) -> LearnersCache:
        return self

    def __len__(self) -> int:
        return int(self.num_computed_tokens)

    def extend(self, token_ids: Sequence[int]) -> None:
        try:
            super().extend(token_ids)
        except SOLUTION["OutOfBlocks"] as error:
            raise OutOfBlocksError(len(token_ids), self.num_free_blocks, 0) from error
        self.token_ids += token_ids

    def fork(self) -> LearnersCache:
        child: LearnersCache = super().fork()
        child.token_ids = list(self.token_ids)
        return child

    def free(self) -> None:
        super().free()
        self.token_ids = []


def reference_cache(
    num_blocks: int, block_size: int, d_k: int, layers: int = 1, h_kv: int = 1
) -> PagedCache:
    storage = PagedStorage(num_blocks, block_size, d_k, layers=layers, h_kv=h_kv)
    return PagedCache(storage, sequence.Sequence(BlockPool(num_blocks), block_size))


MAKERS: dict[str, Callable[..., Any]] = {"reference": reference_cache, "learner": LearnersCache}
