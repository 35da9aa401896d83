def flops_row(n, d):
    without = 2 * n * n * d
    with_cache = 2 * n * d
    return without, with_cache, 100 * (1 - with_cache / without)
