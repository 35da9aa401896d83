def remember(token_ids, block_table, known, block_size):
    for logical in range(len(token_ids) // block_size):
        end = (logical + 1) * block_size
        known.setdefault(tuple(token_ids[:end]), block_table[logical])


def match(prompt, known, block_size):
    blocks = []
    for end in range(block_size, len(prompt), block_size):
        block = known.get(tuple(prompt[:end]))
        if block is None:
            break
        blocks.append(block)
    return blocks
