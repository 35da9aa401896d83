def send_times(layers, compute, send):
    times, free = [], 0
    for i in range(layers):
        start = max(free, (i + 1) * compute)
        free = start + send
        times.append((start, free))
    return times


def visible(layers, compute, send):
    _, done = send_times(layers, compute, send)[-1]
    return done - layers * compute


def visible_at_once(layers, compute, send):
    return layers * send
