"""Attention that walks the pages, as Triton kernels: a tile of keys, and decode with split keys.

They go over a sequence's keys tile by tile, look up in the block table where each key lies, and
keep a running maximum, sum and output, as lesson 10 does by hand (Milakov and Gimelshein 2018;
Dao et al., FlashAttention, 2022). Decode cuts the keys into splits that run side by side and are
merged afterwards (Flash-Decoding, 2023). Scores are kept in base 2: 2^(x · log2 e) = e^x.

The tile is independent of the block size. Nothing behind `seq_lens` is read, not even an entry
of the table; block numbers and splits are widened to 64 bits before they are multiplied. What
changes from step to step is no constant of the kernel: a new value would compile it again.
"""

from __future__ import annotations

import os

import triton
import triton.language as tl

# Triton 3.9 warns where nobody has said it, and 3.10 will not fuse multiplication and addition.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

# ruff: noqa: E741
# fmt: off


@triton.jit
def load_tile(
    K,  # of this K/V head
    V,
    table,  # the row of this sequence
    position,  # (TILE,) of the keys
    stored,  # (TILE,) where a key is, and may be seen
    tile,  # which tile of keys
    k_block, k_slot, v_block, v_slot, k_scales, v_scales, s_block, s_slot,
    BLOCK_SIZE: tl.constexpr, D: tl.constexpr, D_PAD: tl.constexpr, TILE: tl.constexpr,
    CODES: tl.constexpr, NUMBERS: tl.constexpr,
):
    """Keys and values of one tile, (TILE, D_PAD) each: 0 where nothing is stored.

    Third, with what the scores are to be multiplied: codes of keys stay whole, for they are
    exact in 16 bits; values are multiplied here, as their scales may be too small for 16 bits.

    Both are asked for before either is needed: where Triton does not pipeline the loop (sums
    without `tl.dot`, and cards before sm_80), the second would wait for the first.
    """
    if BLOCK_SIZE % TILE == 0:  # one block holds the whole tile
        block = tl.load(table + tile * TILE // BLOCK_SIZE).to(tl.int64)
    else:
        block = tl.load(table + position // BLOCK_SIZE, mask=stored, other=0).to(tl.int64)
    slot = position % BLOCK_SIZE
    d = tl.arange(0, D_PAD)
    there = stored[:, None] & (d < D)[None, :]
    keys = tl.load(K + (block * k_block + slot * k_slot)[:, None] + d[None, :], there, other=0)
    values = tl.load(V + (block * v_block + slot * v_slot)[:, None] + d[None, :], there, other=0)
    of_keys = 1.0
    if CODES:
        scale = block * s_block + slot * s_slot  # (TILE,) of both; behind the last key it is NaN
        of_keys = tl.load(k_scales + scale, stored, other=0)
        of_values = tl.load(v_scales + scale, stored, other=0)
        if CODES == 2:
            keys = from_e4m3(keys)
            values = from_e4m3(values)
            of_keys = of_keys * 256.0
            of_values = of_values * 256.0
        values = (values.to(tl.float32) * of_values[:, None]).to(NUMBERS)
        keys = keys.to(NUMBERS)
    return keys, values, of_keys


@triton.jit
def from_e4m3(codes):
    """The bytes of E4M3 as float16, 2^8 times too small: sign, exponent and fraction are moved.

    The exponent's bias is 7 there and 15 here. No card needs instructions for FP8.
    """
    # The sign stays where it is, the rest moves by one; -16385 clears what it leaves behind.
    return (((codes.to(tl.int16) << 8) >> 1) & -16385).to(tl.float16, bitcast=True)


@triton.jit
def attend_tile(
    q,  # (ROWS, D_PAD), all in the dtype of the pools
    m,  # (ROWS,) running maximum
    l,  # (ROWS,) running sum
    acc,  # (ROWS, D_PAD) running output, not yet divided
    query_position,  # (ROWS,)
    tile, seq_len, window, K, V, table,
    scale,  # log2 e / √d_k
    k_block, k_slot, v_block, v_slot, k_scales, v_scales, s_block, s_slot,
    BLOCK_SIZE: tl.constexpr, D: tl.constexpr, D_PAD: tl.constexpr, TILE: tl.constexpr,
    MASKED: tl.constexpr,  # False: every row sees every key of the tile
    WINDOW: tl.constexpr,
    CODES: tl.constexpr,
):
    """One more tile of keys and values, taken into m, l and acc by matrix products."""
    position = tile * TILE + tl.arange(0, TILE)
    stored = position < seq_len
    if WINDOW:  # what the first query does not see may be given back
        stored = stored & (position > tl.min(query_position) - window)
    keys, values, of_keys = load_tile(
        K, V, table, position, stored, tile, k_block, k_slot, v_block, v_slot,
        k_scales, v_scales, s_block, s_slot, BLOCK_SIZE, D, D_PAD, TILE, CODES, q.dtype,
    )
    s = tl.dot(q, tl.trans(keys), input_precision="ieee") * scale  # (ROWS, TILE)
    if CODES:
        s = s * of_keys[None, :]
    if MASKED:
        seen = stored[None, :] & (position[None, :] <= query_position[:, None])
        if WINDOW:
            seen = seen & (position[None, :] > query_position[:, None] - window)
        s = tl.where(seen, s, float("-inf"))
    new_m = tl.maximum(m, tl.max(s, 1))
    base = tl.where(new_m == float("-inf"), 0.0, new_m)  # −∞ − (−∞) would be NaN
    p = tl.exp2(s - base[:, None])
    rescale = tl.exp2(m - base)
    product = tl.dot(p.to(values.dtype), values, input_precision="ieee")
    return new_m, l * rescale + tl.sum(p, 1), acc * rescale[:, None] + product


@triton.jit
def attend_tile_alone(
    q,  # (D_PAD,): one query, the last of its sequence
    m, l,  # numbers
    acc,  # (D_PAD,)
    tile, seq_len, window, K, V, table, scale, k_block, k_slot, v_block, v_slot,
    k_scales, v_scales, s_block, s_slot,
    BLOCK_SIZE: tl.constexpr, D: tl.constexpr, D_PAD: tl.constexpr, TILE: tl.constexpr,
    WINDOW: tl.constexpr, CODES: tl.constexpr,
):
    """The same for one row without tensor cores, by sums over two axes.

    With a third axis for the rows, Triton's layout would sum each score over 128 threads.
    """
    position = tile * TILE + tl.arange(0, TILE)
    stored = position < seq_len
    if WINDOW:
        stored = stored & (position > seq_len - 1 - window)
    keys, values, of_keys = load_tile(
        K, V, table, position, stored, tile, k_block, k_slot, v_block, v_slot,
        k_scales, v_scales, s_block, s_slot, BLOCK_SIZE, D, D_PAD, TILE, CODES, tl.float32,
    )
    s = tl.sum(q.to(tl.float32)[None, :] * keys.to(tl.float32), 1) * scale  # (TILE,)
    if CODES:
        s = s * of_keys
    s = tl.where(stored, s, float("-inf"))
    new_m = tl.maximum(m, tl.max(s, 0))
    base = tl.where(new_m == float("-inf"), 0.0, new_m)
    p = tl.exp2(s - base)
    rescale = tl.exp2(m - base)
    product = tl.sum(p[:, None] * values.to(tl.float32), 0)  # (D_PAD,)
    return new_m, l * rescale + tl.sum(p, 0), acc * rescale + product


@triton.jit(do_not_specialize=["window", "table_row"])
def decode_kernel(
    Q, K, V, table, seq_lens,
    rows,  # which sequences of the batch
    query_start_loc,
    out,  # one split: the outputs (n, h, d_k); several: (splits, rows, h, d_k)
    lse,  # the same without d_k
    scale, window, q_row, q_head, k_block, k_slot, k_head, v_block, v_slot, v_head,
    table_row, o_row, o_head, l_row,
    GROUP: tl.constexpr, ROWS: tl.constexpr, BLOCK_SIZE: tl.constexpr, D: tl.constexpr,
    D_PAD: tl.constexpr, TILE: tl.constexpr, WINDOW: tl.constexpr,
    DOT: tl.constexpr,  # False: one row, whose products are summed without tensor cores
    CODES: tl.constexpr = 0,  # K and V are numbers (0), int8 (1) or the bytes of E4M3 (2)
    k_scales=None, v_scales=None, s_block=0, s_slot=0, s_head=0,  # of codes, float32
):
    """One query a sequence: grid (rows, h_kv, splits); a group's queries share each load."""
    sequence = tl.load(rows + tl.program_id(0)).to(tl.int64)
    kv_head = tl.program_id(1).to(tl.int64)
    split = tl.program_id(2)
    splits = tl.num_programs(2)
    seq_len = tl.load(seq_lens + sequence)
    row = tl.load(query_start_loc + sequence).to(tl.int64)
    from_query = Q + row * q_row
    if CODES:
        k_scales += kv_head * s_head
        v_scales += kv_head * s_head
    d = tl.arange(0, D_PAD)

    first = 0
    if WINDOW:
        first = tl.maximum(seq_len - window, 0) // TILE
    tiles = tl.cdiv(seq_len, TILE) - first
    of_split = tl.cdiv(tiles, splits)
    begin = first + tl.minimum(split * of_split, tiles)
    end = first + tl.minimum((split + 1) * of_split, tiles)
    if splits > 1:  # to the buffer of the parts, where only these rows stand
        row = split.to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
    to = out + row * o_row
    to_lse = lse + row * l_row
    if DOT:
        g = tl.arange(0, ROWS)
        head = kv_head * GROUP + g
        there = (g < GROUP)[:, None] & (d < D)[None, :]
        q = tl.load(from_query + head[:, None] * q_head + d[None, :], there, other=0)
        position = tl.zeros((ROWS,), tl.int32) + seq_len - 1
        m = tl.full((ROWS,), float("-inf"), tl.float32)
        l = tl.zeros((ROWS,), tl.float32)
        acc = tl.zeros((ROWS, D_PAD), tl.float32)
        for tile in range(begin, end):
            m, l, acc = attend_tile(
                q, m, l, acc, position, tile, seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot, k_scales, v_scales, s_block, s_slot,
                BLOCK_SIZE, D, D_PAD, TILE, True, WINDOW, CODES,
            )
        whole = tl.where(l == 0, 1.0, l)
        log2_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole))
        o = (acc / whole[:, None]).to(out.dtype.element_ty)
        tl.store(to + head[:, None] * o_head + d[None, :], o, there)
        tl.store(to_lse + head, log2_sum * 0.6931471805599453, g < GROUP)
    else:
        q = tl.load(from_query + kv_head * q_head + d, d < D, other=0)
        m = float("-inf")
        l = 0.0
        acc = tl.zeros((D_PAD,), tl.float32)
        for tile in range(begin, end):
            m, l, acc = attend_tile_alone(
                q, m, l, acc, tile, seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot, k_scales, v_scales, s_block, s_slot,
                BLOCK_SIZE, D, D_PAD, TILE, WINDOW, CODES,
            )
        whole = tl.where(l == 0, 1.0, l)
        log2_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole))
        tl.store(to + kv_head * o_head + d, (acc / whole).to(out.dtype.element_ty), d < D)
        tl.store(to_lse + kv_head, log2_sum * 0.6931471805599453)


@triton.jit(do_not_specialize=["splits"])
def merge_splits_kernel(
    parts,  # (splits, rows, h, d_k) float32
    parts_lse,  # (splits, rows, h) float32
    out, lse, rows, query_start_loc, splits, p_row, p_head, s_row, o_row, o_head, l_row,
    D: tl.constexpr, D_PAD: tl.constexpr,
    TILE: tl.constexpr,  # splits at a time
):
    """The splits of one query as one: grid (rows, h). An empty split weighs nothing."""
    row = tl.load(query_start_loc + tl.load(rows + tl.program_id(0))).to(tl.int64)
    head = tl.program_id(1).to(tl.int64)
    d = tl.arange(0, D_PAD)
    m = float("-inf")
    l = 0.0
    acc = tl.zeros((D_PAD,), tl.float32)
    for first in range(0, splits, TILE):
        split = first + tl.arange(0, TILE)
        part = split.to(tl.int64) * tl.num_programs(0) + tl.program_id(0)
        sums = tl.load(
            parts_lse + part * s_row + head, split < splits, other=float("-inf")
        ) * 1.4426950408889634
        o = tl.load(
            parts + (part * p_row + head * p_head)[:, None] + d[None, :],
            (split < splits)[:, None] & (d < D)[None, :],
            other=0,
        )  # (TILE, D_PAD)
        new_m = tl.maximum(m, tl.max(sums, 0))
        base = tl.where(new_m == float("-inf"), 0.0, new_m)
        weight = tl.exp2(sums - base)  # (TILE,)
        rescale = tl.exp2(m - base)
        l = l * rescale + tl.sum(weight, 0)
        acc = acc * rescale + tl.sum(o * weight[:, None], 0)
        m = new_m
    whole = tl.where(l == 0, 1.0, l)
    tl.store(out + row * o_row + head * o_head + d, (acc / whole).to(out.dtype.element_ty), d < D)
    log2_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole))
    tl.store(lse + row * l_row + head, log2_sum * 0.6931471805599453)
