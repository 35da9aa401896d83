"""Three samples of one prompt, each with a tail of its own, until all of them end."""

from walkthrough.exercises import raises, same

MINUTES = 12
DIFFICULTY = 2
CHANGES = {"fork": ("ref_cnt",), "free": ("block_table", "ref_cnt", "free_blocks")}


def check(mine):
    free_blocks, ref_cnt = [5, 4], [0, 1, 1, 1, 0, 0]
    A = [1, 2, 3]
    B = mine.fork(A, ref_cnt)
    same("B = fork(A)", B, [1, 2, 3])
    same("fork(A): ref_cnt", ref_cnt, [0, 2, 2, 2, 0, 0])
    C = mine.fork(A, ref_cnt)
    same("C = fork(A)", C, [1, 2, 3])
    same("fork(A): ref_cnt", ref_cnt, [0, 3, 3, 3, 0, 0])
    B.append(free_blocks.pop())
    ref_cnt[4] += 1
    same("B.append(4): A", A, [1, 2, 3])
    same("B.append(4): C", C, [1, 2, 3])
    mine.free(A, ref_cnt, free_blocks)
    same("free(A): ref_cnt", ref_cnt, [0, 2, 2, 2, 1, 0])
    same("free(A): free_blocks", free_blocks, [5])
    same("free(A): A", A, [])
    D = mine.fork(B, ref_cnt)
    mine.free(B, ref_cnt, free_blocks)
    mine.free(C, ref_cnt, free_blocks)
    same("free(B), free(C): ref_cnt", ref_cnt, [0, 1, 1, 1, 1, 0])
    mine.free(D, ref_cnt, free_blocks)
    same("free(D): ref_cnt", ref_cnt, [0] * 6)
    same("free(D): free_blocks", free_blocks, [5, 4, 3, 2, 1])
    for table, counts in (([1], [0, 0, 0]), ([1, 2], [0, 0, 1]), ([1, 2], [0, 1, 0])):
        place = f"free({table}, ref_cnt={counts})"
        raises(ValueError, place, mine.free, list(table), list(counts), [])
    same("fork([])", mine.fork([], ref_cnt), [])
