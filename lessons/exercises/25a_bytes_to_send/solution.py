def known_blocks(prompt, held, size):
    best = 0
    for tokens in held:
        same = 0
        while same < min(len(prompt), len(tokens)) and prompt[same] == tokens[same]:
            same += 1
        best = max(best, same // size)
    return best


def pairs(here, there, known):
    return list(zip(here[known:], there[known:], strict=True))


def bytes_to_send(n, known, size, layers, h_kv, d_k, itemsize):
    blocks = -(-n // size) - known
    return 2 * layers * blocks * size * h_kv * d_k * itemsize
