"""Short prompts cut in every way, then lesson 18's, against the reference."""

from walkthrough.exercises import same
from walkthrough.reference import transfer

MINUTES = 10
DIFFICULTY = 1


def check(mine):
    for n in (1, 2, 5, 8, 13):
        for chunk in (1, 2, 3, 5, 8, 20):
            starts = [start for start in range(n) if start % chunk == 0]
            call = f"({n}, {chunk})"
            same(f"chunk_starts{call}", mine.chunk_starts(n, chunk), starts)
            same(f"reread{call}", mine.reread(n, chunk), transfer.reread_tokens(n, chunk))
            same(f"weight_reads{call}", mine.weight_reads(n, chunk), len(starts))
    for n, chunk in ((8192, 64), (8192, 2048), (16384, 512)):
        again = transfer.reread_tokens(n, chunk)
        same(f"reread({n}, {chunk})", mine.reread(n, chunk), again)
