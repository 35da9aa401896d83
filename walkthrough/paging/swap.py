"""Moving a whole sequence to a second pool and back, so that its blocks can serve others."""

from __future__ import annotations

from dataclasses import dataclass

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Copy, Sequence
from walkthrough.paging.window import WindowedSequence


@dataclass(frozen=True)
class Swapped:
    """A sequence that was moved out: its tokens, and where its blocks are in the second pool.

    Of its logical blocks `num_given_back` were behind its window: they are nowhere. It comes back
    into a sequence with the same window, sinks and extra keys, for whose rows they are.
    """

    token_ids: list[int]
    blocks: list[int]
    num_given_back: int = 0


def swap_out(sequence: Sequence, host: BlockPool) -> tuple[Swapped, list[Copy]]:
    """Move a sequence out; its own blocks are free afterwards.

    The copies, (block of its pool, block of the host pool), must be made before anyone writes.
    Raises `OutOfBlocksError`, with nothing changed, where the host pool has no room.
    """
    kept = sequence.held
    blocks = host.get_new_blocks(len(kept))
    copies = list(zip(kept, blocks, strict=True))
    swapped = Swapped(sequence.token_ids, blocks, sequence.num_given_back)
    if sequence.pool.listeners:
        for block, other in copies:
            sequence.pool.tell("swapped", [block], other)
    sequence.free()
    return swapped, copies


def swap_in(swapped: Swapped, sequence: Sequence, host: BlockPool) -> list[Copy]:
    """Move it back into an empty sequence like it; its host blocks are free afterwards.

    The copies, (block of the host pool, block of its pool), must be made before anyone writes.
    Raises `OutOfBlocksError`, with nothing changed, where there is no room.
    """
    if len(sequence):
        raise ValueError(f"the sequence has {len(sequence)} tokens already")
    given_back = swapped.num_given_back
    if len(swapped.blocks) != -(-len(swapped.token_ids) // sequence.block_size) - given_back:
        raise ValueError("the sequence was swapped in already: its host blocks are not its own")
    if not given_back:
        sequence.append(swapped.token_ids)
    elif isinstance(sequence, WindowedSequence):
        sequence.take_over(swapped.token_ids, given_back)
    else:
        raise ValueError("a sequence that was seen through a window comes back into one like it")
    copies = list(zip(swapped.blocks, sequence.held, strict=True))
    if sequence.pool.listeners:
        for other, block in copies:
            sequence.pool.tell("swapped", [block], other)
    host.free_blocks(reversed(swapped.blocks))
    swapped.blocks.clear()
    return copies
