"""Handing a sequence over to another machine's pool: which blocks have to be sent, and where to."""

from __future__ import annotations

from walkthrough.paging.sequence import Copy, Sequence


def receive(target: Sequence, token_ids: list[int]) -> int:
    """Make room for tokens whose rows will come; returns the first logical block to be sent.

    Blocks before it were found in the target's prefix cache: they are not sent again. These may be
    all: who only decodes gets the next token from who has computed the prompt, and need not compute
    the last one again. Raises ValueError where the sequence is not empty, `OutOfBlocksError`, with
    nothing changed, where there is no room for the tokens and the next one. Where the rows do not
    come after all, `truncate(…, written=False)` is due.
    """
    if target.window is not None:
        raise ValueError("a sequence that is seen through a window is not handed over")
    known = target.reuse_prefix([*token_ids, 0])  # any token: the last one is never found
    target.append(token_ids[known:])
    return known // target.block_size


def hand_over(source: Sequence, target: Sequence) -> list[Copy]:
    """Blocks to be copied, (block of the source's pool, block of the target's), in order.

    The source keeps its blocks until they are copied and it is freed. Raises as `receive` does,
    and where the two have blocks of different sizes.
    """
    if source.block_size != target.block_size:
        raise ValueError(
            f"blocks of {source.block_size} do not fit a pool with blocks of {target.block_size}"
        )
    if source.window is not None:
        raise ValueError("a sequence that is seen through a window is not handed over")
    first = receive(target, source.token_ids)
    return list(zip(source.block_table[first:], target.block_table[first:], strict=True))
