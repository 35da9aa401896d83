class OutOfBlocks(Exception):
    pass


def append_token(block_table, length, ref_cnt, free_blocks, block_size):
    offset = length % block_size
    new = offset == 0  # the last block is full, or there is none
    shared = not new and ref_cnt[block_table[-1]] > 1
    copy = None
    if new or shared:
        if not free_blocks:
            raise OutOfBlocks
        block = free_blocks.pop()
        ref_cnt[block] = 1
        if new:
            block_table.append(block)
        else:
            copy = block_table[-1], block
            ref_cnt[block_table[-1]] -= 1
            block_table[-1] = block
    return block_table[-1] * block_size + offset, copy
