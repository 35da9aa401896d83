"""With what sizes the kernels are launched: one table, by dtype, card and width of a row.

The figures beside the entries are static counts of the machine code for d_k 128, from
`python -m gpu.compile_check` (Triton 3.9): nothing was timed. An H200 must take in 20.7 bytes a
clock and multiprocessor to be bound by its memory; at four instructions a clock, a decode loop
can take in what stands beside it. No torch here: the kernels are compiled without it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Launch:
    """What a kernel is launched with; `gpu/device_check.py` sweeps it on the hardware."""

    tile: int  # keys at a time
    num_warps: int
    num_stages: int
    rows: int = 128  # prefill: (query, group) rows at a time
    dot: bool = False  # decode: by matrix instructions, for which a group is padded to 16 rows


# 16 bits on sm_80 and later: matrix instructions and asynchronous copies. Padding a group of 1 to
# 16 rows wastes arithmetic that is free: 508 instructions a tile and warp, 16 shuffles, 64 B/clk;
# sums over two axes take 807 and 62, 41 B/clk; over three axes 2,248 and 460, 14.6 B/clk.
DECODE_16 = Launch(tile=64, num_warps=4, num_stages=3, dot=True)
DECODE_16_WIDE = Launch(tile=32, num_warps=4, num_stages=2, dot=True)  # d_k 256: 42 KB, not 76
# float32, and everything before sm_80, without matrix instructions: a group is not padded (a
# group of 4: 452 instructions; padded 851), a group of 1 is summed over two axes (263).
DECODE_PLAIN = Launch(tile=16, num_warps=4, num_stages=2)

PREFILL_16 = Launch(tile=64, num_warps=8, num_stages=3, rows=128)  # 66 KB; sm_90, sm_100 99 KB
# d_k 256: the entry above would take 149 KB of the 99 KB of sm_86, 89, 120, and spill 160 bytes.
PREFILL_16_WIDE = Launch(tile=32, num_warps=8, num_stages=2, rows=64)  # 70 KB
# float32 in the 16-bit entry took 165 KB and spilled 8 KB of each thread's numbers.
PREFILL_PLAIN = Launch(tile=16, num_warps=16, num_stages=2, rows=64)  # 54 KB; sm_75 49 KB
PREFILL_PLAIN_WIDE = Launch(tile=16, num_warps=16, num_stages=2, rows=32)  # 68 KB; sm_75 64 KB

# Triton's interpreter takes its time a tile, whatever its size.
DECODE_INTERPRETED = Launch(tile=64, num_warps=4, num_stages=1)
PREFILL_INTERPRETED = Launch(tile=64, num_warps=4, num_stages=1)

MERGED_AT_ONCE = 16  # splits: 2,048 numbers of d_k 128, 16 a thread
WIDE, WIDEST = 128, 256  # d_k up to which the narrow and the wide entries are meant
Capability = tuple[int, int]  # (9, 0) is sm_90


def decode_launch(card: Capability | None, itemsize: int, d_k: int) -> Launch | None:
    """For one query a sequence; `card` None: interpreted. None: `gather` is the better way."""
    if d_k > WIDEST:
        return None
    if card is None:
        return DECODE_INTERPRETED
    if itemsize > 2 or card < (8, 0):
        return DECODE_PLAIN
    return DECODE_16 if d_k <= WIDE else DECODE_16_WIDE


def prefill_launch(card: Capability | None, itemsize: int, d_k: int) -> Launch | None:
    """For many queries a sequence; None: `gather` is the better way.

    So it is for 16 bits before sm_80 (a T4): Triton makes no matrix instructions there, and
    torch's own attention does.
    """
    if d_k > WIDEST or lacks_matrix(card, itemsize):
        return None
    if card is None:
        return PREFILL_INTERPRETED
    if itemsize > 2:
        return PREFILL_PLAIN if d_k <= WIDE else PREFILL_PLAIN_WIDE
    return PREFILL_16 if d_k <= WIDE else PREFILL_16_WIDE


def lacks_matrix(card: Capability | None, itemsize: int) -> bool:
    """Whether Triton leaves a card's matrix instructions unused: 16 bits before sm_80."""
    return card is not None and card < (8, 0) and itemsize <= 2


def decode_constants(
    launch: Launch, group: int, block_size: int, d_k: int, window: bool
) -> dict[str, int | bool]:
    """What `decode_kernel` is compiled for: nothing that changes from step to step."""
    rows = power_of_two(group)
    return {
        "GROUP": group,
        "ROWS": max(16, rows) if launch.dot else rows,
        "BLOCK_SIZE": block_size,
        "D": d_k,
        "D_PAD": padded(d_k),
        "TILE": launch.tile,
        "WINDOW": window,
        "DOT": launch.dot or group > 1,
    }


def prefill_constants(
    launch: Launch, group: int, block_size: int, d_k: int, window: bool
) -> dict[str, int | bool]:
    """What `prefill_kernel` is compiled for."""
    return {
        "GROUP": group,
        "ROWS": launch.rows,
        "BLOCK_SIZE": block_size,
        "D": d_k,
        "D_PAD": padded(d_k),
        "TILE": launch.tile,
        "WINDOW": window,
    }


def merge_constants(d_k: int) -> dict[str, int | bool]:
    """What `merge_splits_kernel` is compiled for: any number of splits."""
    return {"D": d_k, "D_PAD": padded(d_k), "TILE": MERGED_AT_ONCE}


def power_of_two(n: int) -> int:
    """The smallest power of two that is not below n."""
    return 1 << (n - 1).bit_length()


def padded(d_k: int) -> int:
    """d_k as the kernels' tiles have it."""
    return max(16, power_of_two(d_k))
