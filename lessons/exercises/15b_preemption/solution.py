def victims(running, free, needed):
    stopped, left = [], list(running)
    while free < needed:
        if len(left) < 2:
            raise ValueError
        name, blocks = left.pop()
        free += blocks
        stopped.append(name)
    return stopped


def fed_again(prompt, output, way):
    if way == "recompute":
        return [*prompt, *output]
    return [output[-1]]


def price(prompt, output, way, block_size):
    stored = len(prompt) + len(output) - 1
    if way == "recompute":
        return stored, 0
    blocks = -(-stored // block_size)  # rounded up
    return 0, 2 * blocks
