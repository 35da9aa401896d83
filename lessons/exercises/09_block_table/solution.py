def blocks_needed(n, block_size):
    return -(-n // block_size)  # rounded up


def slot(position, block_table, block_size):
    logical, offset = divmod(position, block_size)
    if not 0 <= logical < len(block_table):
        raise ValueError(f"position {position} is not in a table of {len(block_table)} blocks")
    return block_table[logical] * block_size + offset


def slot_mapping(start, end, block_table, block_size):
    return [slot(position, block_table, block_size) for position in range(start, end)]
