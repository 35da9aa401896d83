"""A prompt's blocks from one pool to another: its K and V are computed here and decoded there.

The receiver decides what is sent. Its table says which blocks it knows already; those behind
them are sent whole, block for block, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

from walkthrough.paging.sequence import Copy, Sequence


def make_room(sequence: Sequence, prompt: SequenceOf[int]) -> int:
    """The receiver's part: an empty sequence gets the blocks of a prompt.

    Returns how many of its first blocks are known, so that they are not sent. Unlike who computes
    the prompt, who only decodes may know all of it: the first token comes from the sender. Raises
    `OutOfBlocksError`, with nothing changed, where the prompt and that token do not fit.
    """
    if sequence.window is not None:
        raise ValueError("a sequence that is seen through a window is not handed over")
    if not len(prompt):
        raise ValueError("the prompt is empty: there is nothing to hand over")
    sequence.reuse_prefix([*prompt, 0])  # any token: the last one is never part of what is found
    known = len(sequence.block_table)
    sequence.append(prompt[len(sequence) :])
    return known


def blocks_to_send(source: Sequence, target: Sequence, known: int) -> list[Copy]:
    """(block of the sender, block of the receiver) for all blocks but the first `known`.

    ValueError where the two do not hold the same tokens in blocks of one size.
    """
    if source.block_size != target.block_size:
        raise ValueError(
            f"blocks of {source.block_size} are not blocks of {target.block_size}: "
            "the two pools must agree"
        )
    if source.token_ids != target.token_ids:
        raise ValueError("the two sequences do not hold the same tokens")
    if not 0 <= known <= len(target.block_table):
        raise ValueError(f"{known} of {len(target.block_table)} blocks cannot be known")
    return list(zip(source.block_table[known:], target.block_table[known:], strict=True))


def give_up(sequence: Sequence, known: int) -> None:
    """The receiver's blocks are free again: what was to come in does not come.

    The known ones keep their content; none of the others is found later.
    """
    sequence.truncate(known * sequence.block_size, written=False)
    sequence.free()
