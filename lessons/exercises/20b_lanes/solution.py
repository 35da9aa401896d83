def lane_address(position, block_table, block_size, seq_len):
    if position >= seq_len:
        return None
    return block_table[position // block_size], position % block_size


def tile_addresses(start, tile, block_table, block_size, seq_len):
    lanes = range(start, start + tile)
    return [lane_address(p, block_table, block_size, seq_len) for p in lanes]


def table_reads(seq_len, tile, block_size):
    counts = []
    for start in range(0, seq_len, tile):
        lanes = range(start, min(start + tile, seq_len))
        counts.append(len({position // block_size for position in lanes}))
    return counts
