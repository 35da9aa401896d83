import numpy as np


def unit(bits):
    return 2.0**-bits


def relative_error(found, exact):
    gap, size = np.linalg.norm(found - exact), np.linalg.norm(exact)
    return gap if size == 0 else gap / size


def worst_head(found, exact):
    worst = (-1.0, 0, 0)
    for query in range(exact.shape[0]):
        for head in range(exact.shape[1]):
            error = relative_error(found[query, head], exact[query, head])
            if np.isnan(error):
                error = np.inf
            if error > worst[0]:
                worst = (error, query, head)
    return worst


def agrees(found, exact, bits):
    error, _, _ = worst_head(found, exact)
    return bool(error <= unit(bits))
