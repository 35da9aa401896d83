"""Whether what attention over pages is given fits together: one sentence each, NumPy's and torch's.

A kernel computes addresses: heads that do not divide, a row too few or a block that is not there
would be another sequence's numbers, or an illegal access, and nobody would say so.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

from walkthrough.paging.block_pool import NULL_BLOCK

Shape = tuple[int, ...]


def check_shapes(Q: Shape, K: Shape, V: Shape) -> None:
    """Raise ValueError where Q (n, h, d_k) does not fit a layer's pools.

    K and V: (blocks, block_size, h_kv, d_k) both, and h a multiple of h_kv.
    """
    if len(Q) != 3:
        raise ValueError(f"Q has shape {tuple(Q)}, expected (n, h, d_k)")
    if len(K) != 4 or 0 in K:
        raise ValueError(f"K has shape {tuple(K)}, expected (blocks, block_size, h_kv, d_k)")
    if V != K:
        raise ValueError(f"K has shape {tuple(K)} and V {tuple(V)}: they must have the same")
    if Q[2] != K[3]:
        raise ValueError(f"Q has rows of {Q[2]} numbers, K of {K[3]}: d_k must be the same")
    if not Q[1] or Q[1] % K[2]:
        raise ValueError(f"{Q[1]} query heads cannot share {K[2]} K/V heads evenly")


def first_seen(n: int, seq_len: int, window: int | None) -> int:
    """The first position that the first of a sequence's last n queries sees."""
    return 0 if window is None else max(0, seq_len - max(n, 1) - window + 1)


def check_blocks(
    block_table: SequenceOf[int],
    n: int,
    seq_len: int,
    block_size: int,
    num_blocks: int,
    window: int | None = None,
    sinks: int = 0,
) -> None:
    """Raise ValueError where a table does not say in which blocks the first seq_len positions lie.

    What is seen lies in blocks 1 … num_blocks − 1; what lies behind the window of all n queries,
    and behind the sinks, may have been given back (null blocks); what stands behind seq_len may be
    anything.
    """
    if n > max(seq_len, 1):  # padding of a decode batch: one query, no key
        raise ValueError(f"{n} queries over {seq_len} keys: each query needs its own key")
    needed = -(-seq_len // block_size)
    if len(block_table) < needed:
        raise ValueError(
            f"{seq_len} tokens need {needed} blocks of {block_size}, "
            f"the table has {len(block_table)}"
        )
    seen = first_seen(n, seq_len, window) // block_size
    for index, block in enumerate(block_table[:needed]):
        if block == NULL_BLOCK and (index >= seen or index * block_size < sinks):
            raise ValueError(f"logical block {index} was given back, and is still to be seen")
        if not 0 <= block < num_blocks:
            raise ValueError(
                f"logical block {index} is block {block}, not one of 1 … {num_blocks - 1}"
            )
