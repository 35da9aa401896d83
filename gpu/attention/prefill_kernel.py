"""The Triton kernel for chunks of a prompt: many queries a sequence, causal, over the pages."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import triton
import triton.language as tl

from gpu.attention.kernels import attend_tile

# ruff: noqa: E741
# fmt: off


@triton.jit(do_not_specialize=["window", "table_row"])
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
                q, m, l, acc, position, tile, seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot, None, None, 0, 0,
                BLOCK_SIZE, D, D_PAD, TILE, False, WINDOW, 0,
            )
        for tile in range(whole_tiles, end):  # the diagonal and the tail
            m, l, acc = attend_tile(
                q, m, l, acc, position, tile, seq_len, window,
                K + kv_head * k_head, V + kv_head * v_head, table + sequence * table_row,
                scale, k_block, k_slot, v_block, v_slot, None, None, 0, 0,
                BLOCK_SIZE, D, D_PAD, TILE, True, WINDOW, 0,
            )
        whole = tl.where(l == 0, 1.0, l)
        to = out + (start + query) * o_row + head * o_head
        tl.store(to[:, None] + d[None, :], (acc / whole[:, None]).to(out.dtype.element_ty), there)
        log_sum = tl.where(l == 0, float("-inf"), m + tl.log2(whole)) * 0.6931471805599453
        tl.store(lse + (start + query) * l_row + head, log_sum, query < n)
