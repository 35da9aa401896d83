def absorb(q, W_UK):
    return W_UK @ q


def scores(q, latents, W_UK):
    return latents @ absorb(q, W_UK)


def output(weights, latents, W_UV):
    return (weights @ latents) @ W_UV
