"""What can happen to a pool's sequences, in any order: for tests of what is told of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

from hypothesis import strategies as st

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Sequence

MOVES = st.lists(st.tuples(st.sampled_from(["append", "fork", "free", "new"]), st.integers(0, 9)))


def live(pool: BlockPool, moves: Iterable[tuple[str, int]]) -> list[Sequence]:
    """Sequences of blocks of 2 that append, fork, free and begin; a full pool is passed over."""
    prefixes = PrefixCache(pool, 2)
    sequences = [Sequence(pool, 2, prefixes)]
    for move, n in moves:
        sequence = sequences[n % len(sequences)]
        with contextlib.suppress(OutOfBlocksError):
            if move == "append":
                sequence.append([0, 1, 0, 1][: n % 4 + 1])
            elif move == "fork":
                sequences.append(sequence.fork())
            elif move == "new":
                sequences.append(Sequence(pool, 2, prefixes))
                sequences[-1].reuse_prefix([0, 1, 0, 1, 0])
            else:
                sequence.free()
    return sequences
