def slide(block_table, m, window, block_size, free_blocks):
    first_seen = max(0, m - window + 1)
    for i in range(first_seen // block_size):
        if block_table[i] is not None:
            free_blocks.append(block_table[i])
            block_table[i] = None


def blocks_held(m, window, block_size, sinks=0):
    first_seen = max(0, m - window + 1)
    blocks = -(-m // block_size)
    passed = first_seen // block_size
    kept = min(-(-sinks // block_size), passed)
    return blocks - passed + kept
