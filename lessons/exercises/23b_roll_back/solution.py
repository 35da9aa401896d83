class OutOfBlocks(Exception):
    pass


def take_slots(block_table, length, n, free_blocks, block_size):
    needed = -(-(length + n) // block_size)
    missing = max(needed - len(block_table), 0)
    if missing > len(free_blocks):
        raise OutOfBlocks
    for _ in range(missing):
        block_table.append(free_blocks.pop())
    slots = []
    for position in range(length, length + n):
        block, offset = divmod(position, block_size)
        slots.append(block_table[block] * block_size + offset)
    return slots


def after_run(block_table, length, fed, wrong, cached, block_size):
    length = length + fed - wrong
    return length, block_table[cached : length // block_size]
