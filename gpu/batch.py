"""What attention has to know about the sequences of a step, as tensors on a device.

The words are vLLM's: `query_start_loc`, `seq_lens`, `block_table`, `slot_mapping`.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor

from walkthrough.paging.block_pool import NULL_BLOCK
from walkthrough.paging.sequence import Sequence
from walkthrough.reference import paged_inputs


@dataclass(frozen=True)
class Batch:
    """A ragged batch: the last `query_lens[i]` tokens of sequence i attend over all of it.

    Queries of all sequences stand one behind the other, (n, h, d_k) with n = Σ query_lens. A row
    of the table is used as far as `seq_lens` reaches; what stands behind may be anything.
    """

    query_lens: tuple[int, ...]  # on the host, for what is decided there
    lengths: tuple[int, ...]  # seq_lens, on the host
    query_start_loc: Tensor  # (batch + 1,) int32
    seq_lens: Tensor  # (batch,) int32
    block_table: Tensor  # (batch, blocks of the longest) int32
    window: int | None = None  # a token sees the last `window` positions up to its own
    host_table: Tensor | None = field(default=None, repr=False, compare=False)  # block_table
    checked_for: set[tuple[int, int]] = field(
        default_factory=set, init=False, repr=False, compare=False
    )  # (num_blocks, block_size) of pools

    @cached_property
    def num_tokens(self) -> int:
        """Queries of all sequences."""
        return sum(self.query_lens)

    def check_blocks(self, num_blocks: int, block_size: int) -> None:
        """Raise ValueError where the table does not fit a pool of such blocks; asked once a pool.

        Block ids are looked at on the host. A table that was made on a device, or is changed
        there, is whoever made it's to answer for: reading it would wait for the device.
        """
        table = self.host_table if self.block_table.device.type != "cpu" else self.block_table
        lengths = np.array(self.lengths)
        needed = -(-lengths // block_size)  # (batch,) blocks in use
        width = self.block_table.shape[1]
        wrong = needed > width
        if table is not None and not wrong.any():
            ids, logical = table.numpy(), np.arange(width)
            used = logical < needed[:, None]  # (batch, width)
            seen = used
            if self.window is not None:
                pairs = zip(self.query_lens, self.lengths, strict=True)
                first = [paged_inputs.first_seen(n, m, self.window) for n, m in pairs]
                seen = used & (logical >= np.array(first)[:, None] // block_size)
            outside = (ids < 0) | (ids >= num_blocks)
            wrong = ((outside & used) | ((ids == NULL_BLOCK) & seen)).any(1)
        if wrong.any():
            i = int(wrong.argmax())
            row = range(1, width + 1) if table is None else table[i].tolist()
            n, length = self.query_lens[i], self.lengths[i]
            try:
                paged_inputs.check_blocks(row, n, length, block_size, num_blocks, self.window)
            except ValueError as error:
                raise ValueError(f"sequence {i} of the batch: {error}") from None
        self.checked_for.add((num_blocks, block_size))

    @cached_property
    def starts(self) -> list[int]:
        """query_start_loc on the host: (batch + 1)."""
        return [0, *accumulate(self.query_lens)]

    @cached_property
    def decoding(self) -> list[int]:
        """Which sequences have one query."""
        return [i for i, n in enumerate(self.query_lens) if n == 1]

    @cached_property
    def prefilling(self) -> list[int]:
        """Which sequences have more than one query."""
        return [i for i, n in enumerate(self.query_lens) if n > 1]

    @cached_property
    def decode_rows(self) -> Tensor | None:
        """`decoding` as int32 on the device; None where there is none."""
        return self._rows(self.decoding)

    @cached_property
    def prefill_rows(self) -> Tensor | None:
        """`prefilling` as int32 on the device; None where there is none."""
        return self._rows(self.prefilling)

    def _rows(self, rows: list[int]) -> Tensor | None:
        if not rows:
            return None
        made = torch.tensor(rows, dtype=torch.int32)
        return made.to(self.seq_lens.device, non_blocking=True)


def make_batch(feed: SequenceOf[tuple[Sequence, int]], device: str | torch.device = "cpu") -> Batch:
    """A batch of (sequence, how many of its last tokens are fed), on a device."""
    if not feed:
        raise ValueError("the batch is empty")
    if any(sequence.sinks for sequence, _ in feed):
        raise ValueError("a window with sinks is for the NumPy reference alone: no kernel knows it")
    windows = {sequence.window for sequence, _ in feed}
    if len(windows) > 1:
        raise ValueError(f"the sequences of a batch must share one window, not {windows}")
    lengths = tuple(len(sequence) for sequence, _ in feed)
    query_lens = tuple(n for _, n in feed)
    table = pack([sequence.block_table for sequence, _ in feed])
    batch = from_table(table, lengths, query_lens, windows.pop(), device)
    sequence, _ = feed[0]
    batch.check_blocks(sequence.pool.num_blocks, sequence.block_size)
    return batch


def from_table(
    table: Tensor,
    lengths: SequenceOf[int],
    query_lens: SequenceOf[int],
    window: int | None = None,
    device: str | torch.device = "cpu",
) -> Batch:
    """A batch from a table (batch, blocks) that is there already, int32.

    Which blocks it names is checked when attention first meets a pool, on the host: `table` is
    kept there. ValueError where lengths cannot be right.
    """
    if not lengths:
        raise ValueError("the batch is empty")
    if window is not None and window < 1:
        raise ValueError(f"window must be at least 1, got {window}")
    if table.dim() != 2 or len(table) != len(lengths) or table.dtype != torch.int32:
        raise ValueError(
            f"the table is {table.dtype} {tuple(table.shape)}, expected int32 and a row for each "
            f"of {len(lengths)} sequences"
        )
    for n, length in zip(query_lens, lengths, strict=True):
        if n < 0 or length < 0:
            raise ValueError(f"{n} queries over {length} keys: neither can be negative")
        if n > max(length, 1):  # padding of a decode batch: one query, no key
            raise ValueError(f"{n} queries over {length} keys: each query needs its own key")
    starts = torch.tensor([0, *accumulate(query_lens)], dtype=torch.int32)
    return Batch(
        tuple(query_lens),
        tuple(lengths),
        starts.to(device, non_blocking=True),
        torch.tensor(lengths, dtype=torch.int32).to(device, non_blocking=True),
        table.to(device, non_blocking=True),
        window,
        table if table.device.type == "cpu" else None,
    )


def pack(tables: SequenceOf[SequenceOf[int]]) -> Tensor:
    """Block tables as one of (batch, blocks of the longest), int32, padded with null blocks.

    Through `array`, which reads a list of ints ten times faster than torch does.
    """
    packed = np.full((len(tables), max(map(len, tables))), NULL_BLOCK, np.int32)
    for row, table in zip(packed, tables, strict=True):
        row[: len(table)] = np.frombuffer(array("i", table), np.int32)
    return torch.from_numpy(packed)
