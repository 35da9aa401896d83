def free_runs(taken, capacity):
    runs = []
    slot = 0
    for start, length in sorted(taken):
        if start > slot:
            runs.append((slot, start - slot))
        slot = start + length
    if slot < capacity:
        runs.append((slot, capacity - slot))
    return runs


def first_fit(taken, capacity, size):
    for start, length in free_runs(taken, capacity):
        if length >= size:
            return start
    return None
