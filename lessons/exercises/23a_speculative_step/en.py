"""A speculative step (lesson 23)

Check guesses so that the tokens follow the model's law, exactly.
"""


def residual(p, q):
    """What is drawn by after a refusal: max(p - q, 0), divided by its sum.

    p, q: lists with a probability for each token. Returns such a list.

    >>> residual([0.5, 0.25, 0.25], [0.25, 0.25, 0.5])
    [1.0, 0.0, 0.0]
    """
    raise NotImplementedError


def speculative_step(guesses, q, p, draw):
    """The tokens that come of checking the guesses: a list of one or more.

    q[i]: the probabilities that guess i was drawn by. p[i]: the model's in the
    same place; p has one more, for behind the last guess. draw(weights) gives
    an index, i with probability weights[i]; the weights add up to 1.

    The draft is certain of token 1, twice; the model is certain, too.

    >>> certain = lambda weights: weights.index(1)
    >>> one, zero = [0, 1], [1, 0]
    >>> speculative_step([1, 1], [one, one], [one, one, zero], certain)
    [1, 1, 0]
    >>> speculative_step([1, 1], [one, one], [one, zero, one], certain)
    [1, 0]
    >>> speculative_step([], [], [zero], certain)
    [0]
    """
    raise NotImplementedError
