def fork(table, ref_cnt):
    for block in table:
        ref_cnt[block] += 1
    return list(table)


def free(table, ref_cnt):
    unused = []
    for block in reversed(table):
        ref_cnt[block] -= 1
        if ref_cnt[block] == 0:
            unused.append(block)
    return unused


def next_tables(tables, parents, ref_cnt):
    new = [fork(tables[parent], ref_cnt) for parent in parents]
    unused = []
    for table in tables:
        unused += free(table, ref_cnt)
    return new, unused
