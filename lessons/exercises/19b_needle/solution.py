import numpy as np


def needles(n):
    return np.eye(n), np.repeat(np.arange(float(n))[:, None], n, axis=1)


def query_for(position, n):
    q = np.zeros(n)
    q[position] = 100 * np.sqrt(n)
    return q


def wrong_rows(attend, n):
    wrong = {}
    for position in range(n):
        out = attend(query_for(position, n))
        read = np.rint(out.mean())
        if not np.allclose(out, read, atol=0.01):
            wrong[position] = None
        elif read != position:
            wrong[position] = int(read)
    return wrong
