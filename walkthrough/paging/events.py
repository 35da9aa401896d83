"""What happens to blocks, as events that pictures, tests and lessons can listen to."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from walkthrough.paging.block_pool import BlockPool
    from walkthrough.paging.sequence import Sequence

Kind = Literal["allocated", "written", "shared", "copied", "cached", "evicted", "freed", "swapped"]


class Event(NamedTuple):
    """One change of state of a block.

    `other` is a second number where there is one. allocated, shared, freed: the reference count
    then (freed once may still be in use by others); written: how many of its slots are filled;
    copied: the block that was copied from; swapped: the block of the other pool.
    """

    kind: Kind
    block: int
    other: int | None = None


Listener = Callable[[Event], None]

# Called with each pool that is made, by who wants to hear it from its first event on.
pool_made: ContextVar[Callable[[BlockPool], None]] = ContextVar("pool_made")
# Called with each sequence that is made or forked, by who wants to know whose the blocks are.
sequence_made: ContextVar[Callable[[Sequence], None]] = ContextVar("sequence_made")


def announce(sequence: Sequence) -> None:
    """Say that a sequence was made, to who wants to hear it."""
    if hear := sequence_made.get(None):
        hear(sequence)
