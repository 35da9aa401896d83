"""Attention that walks the pages, as Triton kernels: decode with split keys, and prefill.

Both go over a sequence's keys tile by tile, look up in the block table where each key lies, and
keep a running maximum, sum and output, as lesson 10 does by hand (Milakov and Gimelshein 2018;
Dao et al., FlashAttention, 2022). Decode cuts the keys into splits that run side by side and are
merged afterwards (Flash-Decoding, 2023). Scores are kept in base 2: 2^(x · log2 e) = e^x.

The tile is independent of the block size. Nothing behind `seq_lens` is read, not even an entry
of the table; block numbers are widened to 64 bits before they are multiplied.
"""

from __future__ import annotations

import triton
import triton.language as tl

# ruff: noqa: E741
# fmt: off


@triton.jit
def attend_tile(
    q,  # (ROWS, D_PAD), all in the dtype of the pools
    m,  # (ROWS,) running maximum
    l,  # (ROWS,) running sum
    acc,  # (ROWS, D_PAD) running output, not yet divided
    query_position,  # (ROWS,)
    tile,  # which tile of keys
    seq_len, window,
    K,  # of this K/V head
    V,
    table,  # the row of this sequence
    scale,  # log2 e / √d_k
    k_block, k_slot, v_block, v_slot,
    BLOCK_SIZE: tl.constexpr, D: tl.constexpr, D_PAD: tl.constexpr, TILE: tl.constexpr,
    MASKED: tl.constexpr,  # False: every row sees every key of the tile
    WINDOW: tl.constexpr,
    DOT: tl.constexpr,  # False: one row, whose products are summed without tensor cores
):
    """One more tile of keys and values, taken into m, l and acc."""
    position = tile * TILE + tl.arange(0, TILE)
    d = tl.arange(0, D_PAD)
    stored = position < seq_len
    if WINDOW:  # what the first query does not see may be given back
        stored = stored & (position > tl.min(query_position) - window)
    if BLOCK_SIZE % TILE == 0:  # one block holds the whole tile
        block = tl.load(table + tile * TILE // BLOCK_SIZE).to(tl.int64)
    else:
        block = tl.load(table + position // BLOCK_SIZE, mask=stored, other=0).to(tl.int64)
    slot = position % BLOCK_SIZE
    there = stored[:, None] & (d < D)[None, :]
    keys = tl.load(K + (block * k_block + slot * k_slot)[:, None] + d[None, :], there, other=0)
    if DOT:
        s = tl.dot(q, tl.trans(keys), input_precision="ieee") * scale  # (ROWS, TILE)
    else:
        s = tl.sum(q.to(tl.float32)[:, None, :] * keys.to(tl.float32)[None, :, :], 2) * scale
    if MASKED:
        seen = stored[None, :] & (position[None, :] <= query_position[:, None])
        if WINDOW:
            seen = seen & (position[None, :] > query_position[:, None] - window)
        s = tl.where(seen, s, float("-inf"))
    new_m = tl.maximum(m, tl.max(s, 1))
    base = tl.where(new_m == float("-inf"), 0.0, new_m)  # −∞ − (−∞) would be NaN
    p = tl.exp2(s - base[:, None])
    rescale = tl.exp2(m - base)
    values = tl.load(V + (block * v_block + slot * v_slot)[:, None] + d[None, :], there, other=0)
    if DOT:
        product = tl.dot(p.to(values.dtype), values, input_precision="ieee")
    else:
        product = tl.sum(p[:, :, None] * values.to(tl.float32)[None, :, :], 1)
    return new_m, l * rescale + tl.sum(p, 1), acc * rescale[:, None] + product


@triton.jit
def decode_kernel(
    Q, K, V, table, seq_lens,
    rows,  # which sequences of the batch
    query_start_loc,
    out,  # (splits, n, h, d_k): the outputs themselves where there is one split
    lse,  # (splits, n, h)
    scale, window, q_row, q_head, k_block, k_slot, k_head, v_block, v_slot, v_head,
    table_row, o_split, o_row, o_head, l_split, l_row,
    GROUP: tl.constexpr, ROWS: tl.constexpr, BLOCK_SIZE: tl.constexpr, D: tl.constexpr,
    D_PAD: tl.constexpr, TILE: tl.constexpr, SPLITS: tl.constexpr, WINDOW: tl.constexpr,
    DOT: tl.constexpr,
):
    """One query a sequence: grid (sequences, h_kv, splits); a group's queries share each load."""
    sequence = tl.load(rows + tl.program_id(0)).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    split = tl.program_id(2).to(tl.int64)
    seq_len = tl.load(seq_lens + sequence)
    row = tl.load(query_start_loc + sequence).to(tl.int64)
    g = tl.arange(0, ROWS)
    d = tl.arange(0, D_PAD)
    head = kv_head * GROUP + g
    there = (g < GROUP)[:, None] & (d < D)[None, :]
    q = tl.load(Q + row * q_row + head[:, None] * q_head + d[None, :], there, other=0)
    position = tl.zeros((ROWS,), tl.int32) + seq_len - 1

    first = 0
    if WINDOW:
        first = tl.maximum(seq_len - window, 0) // TILE
    tiles = tl.cdiv(seq_len, TILE) - first
    of_split = tl.cdiv(tiles, SPLITS)
    begin = first + tl.minimum(split.to(tl.int32) * of_split, tiles)
    end = first + tl.minimum((split.to(tl.int32) + 1) * of_split, tiles)
    m = tl.full((ROWS,), float("-inf"), tl.float32)
    l = tl.zeros((ROWS,), tl.float32)
    acc = tl.zeros((ROWS, D_PAD), tl.float32)
    for tile in range(begin, end):
        m, l, acc = attend_tile(
            q, m, l, acc, position, tile,
            seq_len, window,
            K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
            scale, k_block, k_slot, v_block, v_slot,
            BLOCK_SIZE, D, D_PAD, TILE, True, WINDOW, DOT,
        )
    whole = tl.where(l == 0, 1.0, l)
    acc = acc / whole[:, None]
    log2_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole))
    to = out + split * o_split + row * o_row + head * o_head
    tl.store(to[:, None] + d[None, :], acc.to(out.dtype.element_ty), there)
    tl.store(lse + split * l_split + row * l_row + head, log2_sum * 0.6931471805599453, g < GROUP)


@triton.jit
def merge_splits_kernel(
    parts,  # (splits, n, h, d_k) float32
    parts_lse,  # (splits, n, h) float32
    out, lse, rows, query_start_loc, p_split, p_row, p_head, s_split, s_row, o_row, o_head,
    l_row,
    D: tl.constexpr, D_PAD: tl.constexpr, SPLITS: tl.constexpr, SPLITS_PAD: tl.constexpr,
):
    """The splits of one query as one: grid (sequences, h). An empty split weighs nothing."""
    row = tl.load(query_start_loc + tl.load(rows + tl.program_id(0))).to(tl.int64)
    head = tl.program_id(1).to(tl.int64)
    split = tl.arange(0, SPLITS_PAD)
    d = tl.arange(0, D_PAD)
    sums = tl.load(
        parts_lse + split * s_split + row * s_row + head, split < SPLITS, other=float("-inf")
    )
    largest = tl.max(sums, 0)
    base = tl.where(largest == float("-inf"), 0.0, largest)
    weight = tl.exp2((sums - base) * 1.4426950408889634)  # (SPLITS_PAD,)
    total = tl.sum(weight, 0)
    o = tl.load(
        parts + (split * p_split + row * p_row + head * p_head)[:, None] + d[None, :],
        (split < SPLITS)[:, None] & (d < D)[None, :],
        other=0,
    )  # (SPLITS_PAD, D_PAD)
    merged = tl.sum(o * weight[:, None], 0) / tl.where(total == 0, 1.0, total)
    to = out + row * o_row + head * o_head
    tl.store(to + d, merged.to(out.dtype.element_ty), d < D)
    log_sum = base + tl.log2(tl.where(total == 0, 1.0, total)) * 0.6931471805599453
    tl.store(lse + row * l_row + head, tl.where(total == 0, float("-inf"), log_sum))


@triton.jit
def prefill_kernel(
    Q, K, V, table, seq_lens, rows, query_start_loc, out, lse, scale, window, q_row,
    q_head, k_block, k_slot, k_head, v_block, v_slot, v_head, table_row, o_row, o_head,
    l_row,
    GROUP: tl.constexpr, ROWS: tl.constexpr, BLOCK_SIZE: tl.constexpr, D: tl.constexpr,
    D_PAD: tl.constexpr, TILE: tl.constexpr, WINDOW: tl.constexpr,
):
    """Many queries a sequence: grid (query tiles, h_kv, sequences), rows of (query, group)."""
    sequence = tl.load(rows + tl.program_id(2)).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    seq_len = tl.load(seq_lens + sequence)
    start = tl.load(query_start_loc + sequence).to(tl.int64)
    n = (tl.load(query_start_loc + sequence + 1) - start).to(tl.int32)
    # The last rows see the most keys: they start first, so that no long one is left at the end.
    query_tiles = tl.cdiv(n * GROUP, ROWS)
    query_tile = query_tiles - 1 - tl.program_id(0)
    if query_tile >= 0:
        packed = query_tile * ROWS + tl.arange(0, ROWS)
        query = packed // GROUP  # (ROWS,)
        head = kv_head * GROUP + packed % GROUP
        d = tl.arange(0, D_PAD)
        there = (query < n)[:, None] & (d < D)[None, :]
        from_rows = (start + query) * q_row + head * q_head
        q = tl.load(Q + from_rows[:, None] + d[None, :], there, other=0)
        computed = seq_len - n  # tokens before these queries
        position = computed + query
        first_seen = computed + query_tile * ROWS // GROUP + 1  # keys that the first row sees
        last_query = tl.minimum((query_tile * ROWS + ROWS - 1) // GROUP, n - 1)
        end = tl.cdiv(computed + last_query + 1, TILE)
        begin = 0
        whole_tiles = first_seen // TILE  # seen by every row: nothing to mask
        if WINDOW:
            begin = tl.maximum(first_seen - window, 0) // TILE
            whole_tiles = begin
        m = tl.full((ROWS,), float("-inf"), tl.float32)
        l = tl.zeros((ROWS,), tl.float32)
        acc = tl.zeros((ROWS, D_PAD), tl.float32)
        for tile in range(begin, whole_tiles):
            m, l, acc = attend_tile(
                q, m, l, acc, position, tile,
                seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot,
                BLOCK_SIZE, D, D_PAD, TILE, False, WINDOW, True,
            )
        for tile in range(whole_tiles, end):  # the diagonal and the tail
            m, l, acc = attend_tile(
                q, m, l, acc, position, tile,
                seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot,
                BLOCK_SIZE, D, D_PAD, TILE, True, WINDOW, True,
            )
        whole = tl.where(l == 0, 1.0, l)
        to = out + (start + query) * o_row + head * o_head
        tl.store(to[:, None] + d[None, :], (acc / whole[:, None]).to(out.dtype.element_ty), there)
        log_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole)) * 0.6931471805599453
        tl.store(lse + (start + query) * l_row + head, log_sum, query < n)
