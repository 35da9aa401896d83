"""Three samples of one prompt, each with a tail of its own, until all of them end."""

from walkthrough.exercises import raises, same


def check(mine):
    free_blocks, ref_cnt = [5, 4], [0, 1, 1, 1, 0, 0]
    A = [1, 2, 3]
    B = mine.fork(A, ref_cnt)
    C = mine.fork(A, ref_cnt)
    same("fork(A)", B, [1, 2, 3])
    same("ref_cnt", ref_cnt, [0, 3, 3, 3, 0, 0])
    B.append(4)
    ref_cnt[4] += 1
    same("A", A, [1, 2, 3])
    same("C", C, [1, 2, 3])
    mine.free(A, ref_cnt, free_blocks)
    same("ref_cnt", ref_cnt, [0, 2, 2, 2, 1, 0])
    same("free_blocks", free_blocks, [5, 4])
    same("A", A, [])
    D = mine.fork(B, ref_cnt)
    mine.free(B, ref_cnt, free_blocks)
    mine.free(C, ref_cnt, free_blocks)
    same("ref_cnt", ref_cnt, [0, 1, 1, 1, 1, 0])
    mine.free(D, ref_cnt, free_blocks)
    same("ref_cnt", ref_cnt, [0] * 6)
    same("free_blocks", free_blocks, [5, 4, 4, 3, 2, 1])
    raises(ValueError, "free([1])", mine.free, [1], ref_cnt, free_blocks)
    same("fork([])", mine.fork([], ref_cnt), [])
