"""K and V in blocks: storage driven by block tables, and attention over it block by block.

`paging` decides which block holds what; here are the numbers. Matching signatures with
`cache.ContiguousCache`: only where a row lies is different.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from walkthrough.paging.block_pool import NULL_BLOCK
from walkthrough.paging.sequence import Copy, Sequence
from walkthrough.reference.attention import Mask, attend_heads, causal_mask, kv_heads
from walkthrough.reference.cache import check_layer, check_roll_back, check_rows
from walkthrough.reference.computed import computed
from walkthrough.reference.paged_inputs import check_blocks, check_shapes
from walkthrough.reference.parts import Part, finish, merge, part
from walkthrough.reference.work import Array, Work


class Rows(Protocol):
    """A layer's pool as attention reads it: an array, or what reads like one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(blocks, block_size, h_kv, d_k)."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes that the pool takes."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, block: Any, /) -> Any: ...


class PagedStorage:
    """K and V of a whole pool: (layers, blocks, block_size, h_kv, d_k) each.

    Slots not written yet hold NaN, so that one that reached a result would be seen.
    """

    def __init__(
        self,
        num_blocks: int,
        block_size: int,
        d_k: int,
        *,
        layers: int = 1,
        h_kv: int = 1,
        dtype: DTypeLike = np.float64,
    ) -> None:
        self.K: Array = np.full((layers, num_blocks, block_size, h_kv, d_k), np.nan, dtype)
        self.V: Array = np.full_like(self.K, np.nan)

    @property
    def block_size(self) -> int:
        """Slots in a block."""
        return int(self.K.shape[2])

    def write(self, layer: int, slot_mapping: SequenceOf[int], K: Array, V: Array) -> None:
        """Row i of K and V (n, h_kv, d_k) goes to slot i of the mapping; −1 writes nothing."""
        check_layer(layer, len(self.K))
        slots = np.asarray(slot_mapping, dtype=np.int64)  # 32 bits end at 2^31 slots
        check_rows(K, V, (len(slots), *self.K.shape[3:]), self.K.dtype)
        size = self.K.shape[1] * self.K.shape[2]
        if ((slots < -1) | (slots >= size)).any():
            raise ValueError(f"the slots {slots.tolist()} are not all within -1 … {size - 1}")
        real = slots >= 0  # NumPy would read −1 as the last slot
        block, offset = np.divmod(slots[real], self.block_size)
        self.put((layer, block, offset), K[real], V[real])
        if told := computed.get(None):
            for i, slot in enumerate(slots.tolist()):
                if slot >= 0:  # a view of its own for each row: where they lie is the point
                    place = (layer, *divmod(slot, self.block_size))
                    told("store", self.K[place], (K[i],))
                    told("store", self.V[place], (V[i],))

    def put(self, place: tuple[Any, ...], K: Array, V: Array) -> None:
        """Rows that were checked, into the slots of (layer, blocks, offsets)."""
        self.K[place], self.V[place] = K, V

    def layer(self, index: int) -> tuple[Rows, Rows]:
        """One layer's pools as attention reads them: (blocks, block_size, h_kv, d_k) each."""
        return self.K[index], self.V[index]

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks in all layers."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that is stored, (layers, blocks, …) each: what moves when a block moves."""
        return self.K, self.V

    def copy_blocks(self, copies: SequenceOf[Copy]) -> None:
        """Copy whole blocks, (source, destination) each, in every layer."""
        move_blocks(self, self, copies)


def move_blocks(source: PagedStorage, target: PagedStorage, copies: SequenceOf[Copy]) -> None:
    """Copy whole blocks from one storage to another, (source, target) each, in every layer.

    Both must store alike: ValueError, before anything is copied, where they do not.
    """
    kinds = [[(a.dtype, a.shape[0], a.shape[2:]) for a in one.arrays] for one in (source, target)]
    if kinds[0] != kinds[1]:
        raise ValueError("blocks move between storages of one kind, with the same sizes and dtype")
    for a, b in copies:
        for into, out_of in zip(target.arrays, source.arrays, strict=True):
            into[:, b] = out_of[:, a]
        if told := computed.get(None):
            told("store", target.K[:, b], (source.K[:, a],))
            told("store", target.V[:, b], (source.V[:, a],))


def paged_attention(
    Q: Array,
    K: Rows,
    V: Rows,
    block_table: SequenceOf[int],
    seq_len: int,
    window: int | None = None,
    work: Work | None = None,
    *,
    sinks: int = 0,
) -> Part:
    """The last n tokens of a sequence attend over its blocks; a part for each, then merged.

    Q: (n, h, d_k); K, V: one layer's pool (blocks, block_size, h_kv, d_k); the first seq_len
    positions of the table are in use, what stands behind is not looked at. Causal; with a
    window, only the last `window` positions up to its own are seen, and the first `sinks`. Result:
    (h, n, …), in float32 at least. ValueError where these do not fit together (`paged_inputs`).
    """
    check_shapes(Q.shape, K.shape, V.shape)
    n, h, d_k = Q.shape
    block_size = K.shape[1]
    check_blocks(block_table, n, seq_len, block_size, len(K), window, sinks)
    dtype = np.promote_types(Q.dtype, np.float32)  # float16 ends at 65,504: a score is larger
    kv_head = kv_heads(h, K.shape[2])  # (h,)
    queries = Q.transpose(1, 0, 2)  # (h, n, d_k)
    query_position = np.arange(seq_len - n, seq_len)[:, None]  # (n, 1)
    whole = Part(  # nothing seen yet
        np.full((h, n, 1), -np.inf, dtype),
        np.zeros((h, n, 1), dtype),
        np.zeros((h, n, d_k), dtype),
    )
    for index in range(-(-seq_len // block_size)):
        block = block_table[index]
        position = np.arange(index * block_size, (index + 1) * block_size)[None, :]
        mask: Mask = position <= query_position  # (n, block_size); unused slots are masked, too
        if window is not None:
            mask &= (position > query_position - window) | (position < sinks)
        if block == NULL_BLOCK:
            continue  # behind the window, and given back
        if work is not None:  # where V is in the same rows as K, they are read once
            pools = (K,) if V is K else (K, V)
            work.kv_bytes_read += sum(pool.nbytes // len(pool) for pool in pools)
        keys = K[block][:, kv_head].transpose(1, 0, 2)  # (h, block_size, d_k)
        values = V[block][:, kv_head].transpose(1, 0, 2)
        whole = merge(whole, part(queries, keys, values, mask, work))
    return whole


def log_sum_exp(whole: Part) -> Array:
    """Logarithm of Σ e^score of each query: (…, n, 1), −∞ where nothing was seen."""
    with np.errstate(divide="ignore"):
        lse: Array = whole.m + np.log(whole.l)
    return np.where(whole.l == 0, -np.inf, lse)


class PagedCache:
    """One sequence's view of a paged storage: the same interface as the other caches."""

    def __init__(self, storage: PagedStorage, sequence: Sequence) -> None:
        if storage.block_size != sequence.block_size:
            raise ValueError(
                f"the storage has blocks of {storage.block_size}, "
                f"the sequence of {sequence.block_size}"
            )
        if storage.K.shape[1] < sequence.pool.num_blocks:
            raise ValueError(
                f"the storage has {storage.K.shape[1]} blocks, the pool {sequence.pool.num_blocks}"
            )
        self.storage, self.sequence = storage, sequence
        self._slots: list[int] = []  # of the tokens that are being fed

    @property
    def num_computed_tokens(self) -> int:
        """Tokens whose rows are stored, or found in the prefix cache."""
        return len(self.sequence)

    def extend(self, token_ids: SequenceOf[int]) -> None:
        """Give the tokens slots; copies shared blocks that are about to be written."""
        self.storage.copy_blocks(self.sequence.append(token_ids))
        self.fed(len(token_ids))

    def fed(self, n: int) -> None:
        """Take it that the sequence's last n tokens have got their slots."""
        self._slots = self.sequence.slot_mapping(len(self.sequence) - n)

    def write(self, layer: int, K: Array, V: Array) -> None:
        """Store a layer's rows in the slots taken last: K and V (n, h_kv, d_k).

        Rows that are refused give those slots back.
        """
        try:
            self.storage.write(layer, self._slots, K, V)
        except ValueError:
            self.take_back()
            raise

    def take_back(self) -> None:
        """Give the slots taken last back: their rows will not come.

        Who has found these tokens in the prefix cache meanwhile has to be taken back, too.
        """
        self.sequence.truncate(len(self.sequence) - len(self._slots), written=False)
        self._slots = []

    def roll_back(self, n: int) -> None:
        """Take back the last n tokens, as the sequence does it: slots alone, no row is touched."""
        check_roll_back(n, len(self.sequence))
        self.sequence.roll_back(n)
        self._slots = []

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Causal attention of the last n tokens over all stored: (n, h, d_k) → (n, h, d_k)."""
        check_layer(layer, len(self.storage.K))
        K, V = self.storage.layer(layer)
        table, seq_len = self.sequence.block_table, len(self.sequence)
        window, sinks = self.sequence.window, self.sequence.sinks
        whole = paged_attention(Q, K, V, table, seq_len, window, work, sinks=sinks)
        return finish(whole).transpose(1, 0, 2)

    def fork(self) -> Self:
        """A cache with the same tokens in the same blocks."""
        return type(self)(self.storage, self.sequence.fork())

    def free(self) -> None:
        """Give all blocks back."""
        self.sequence.free()


def gather(rows: Rows, block_table: SequenceOf[int], seq_len: int) -> Array:
    """The first seq_len rows of a sequence, side by side again: a copy, (seq_len, h_kv, d_k).

    `rows` is one layer's pool of K or V: (blocks, block_size, h_kv, d_k).
    """
    blocks: Array = rows[block_table[: -(-seq_len // rows.shape[1])]]  # (its blocks, block_size, …)
    return blocks.reshape(-1, *rows.shape[2:])[:seq_len]


class GatheredCache(PagedCache):
    """The same tables and the same storage; rows are copied together, then attended at once.

    What is computed is the same. NumPy's calls cost more than a small block's arithmetic, so
    that for many layers this is quicker than going block by block; a kernel needs no copy.
    """

    def attend(self, layer: int, Q: Array, work: Work | None = None) -> Array:
        """Causal attention of the last n tokens over all stored: (n, h, d_k) → (n, h, d_k)."""
        if self.sequence.window is not None or self.sequence.num_given_back:
            return super().attend(layer, Q, work)
        check_layer(layer, len(self.storage.K))
        table, m = self.sequence.block_table, len(self.sequence)
        K, V = (gather(rows, table, m) for rows in self.storage.layer(layer))
        return attend_heads(Q, K, V, causal_mask(len(Q), m), work)


@dataclass(frozen=True)
class CSR:
    """A batch's block tables as FlashInfer takes them, all int32."""

    kv_indptr: NDArray[np.int32]  # (batch + 1,)
    kv_indices: NDArray[np.int32]  # (blocks of all,)
    last_page_len: NDArray[np.int32]  # (batch,), each 1 … page_size


def to_csr(sequences: SequenceOf[Sequence]) -> CSR:
    """Block tables of sequences that hold at least one token each.

    Blocks that a window has given back are page 0, the null block: the kernel must be told the
    window (and sinks), so that it does not look there.
    """
    if any(not len(sequence) for sequence in sequences):
        raise ValueError("a sequence without tokens has no last page")
    tables = [sequence.block_table for sequence in sequences]
    last = [(len(s) - 1) % s.block_size + 1 for s in sequences]  # a full page is page_size, not 0
    return CSR(
        np.cumsum([0, *map(len, tables)], dtype=np.int32),
        np.array([block for table in tables for block in table], dtype=np.int32),
        np.array(last, dtype=np.int32),
    )
