def chunk_starts(n, chunk):
    return list(range(0, n, chunk))


def reread(n, chunk):
    return sum(chunk_starts(n, chunk))


def weight_reads(n, chunk):
    return len(chunk_starts(n, chunk))
