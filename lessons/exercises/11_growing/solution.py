class OutOfBlocks(Exception):
    pass


def append(block_table, length, n, free_blocks, block_size):
    needed = -(-(length + n) // block_size) - len(block_table)
    if needed > len(free_blocks):
        raise OutOfBlocks(f"{needed} blocks needed, {len(free_blocks)} free")
    for _ in range(needed):
        block_table.append(free_blocks.pop())
    positions = range(length, length + n)
    return [block_table[p // block_size] * block_size + p % block_size for p in positions]
