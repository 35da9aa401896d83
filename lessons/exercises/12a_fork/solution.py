def fork(block_table, ref_cnt):
    for block in block_table:
        ref_cnt[block] += 1
    return list(block_table)


def free(block_table, ref_cnt, free_blocks):
    if any(ref_cnt[block] == 0 for block in block_table):
        raise ValueError("a block is freed twice")
    for block in reversed(block_table):
        ref_cnt[block] -= 1
        if ref_cnt[block] == 0:
            free_blocks.append(block)
    block_table.clear()
