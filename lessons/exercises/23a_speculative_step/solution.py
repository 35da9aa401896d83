def residual(p, q):
    missing = [max(a - b, 0) for a, b in zip(p, q, strict=True)]
    return [m / sum(missing) for m in missing]


def speculative_step(guesses, q, p, draw):
    tokens = []
    for i, guess in enumerate(guesses):
        accept = min(1, p[i][guess] / q[i][guess])
        if draw([accept, 1 - accept]) == 1:  # refused
            return [*tokens, draw(residual(p[i], q[i]))]
        tokens.append(guess)
    return [*tokens, draw(p[len(guesses)])]
