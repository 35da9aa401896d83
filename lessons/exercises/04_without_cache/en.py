"""Decode without a cache (lesson 4)

Without a cache the whole sentence goes in again at every step. Write that
loop, and count what it wastes.
"""

from walkthrough.document import document
from walkthrough.reference import NoCache, forward


def generate(logits_of, prompt, eos, max_new_tokens=16):
    """List of the new tokens after a prompt; each time the one of the largest
    logit.

    logits_of(token_ids) gives logits (n, vocabulary), a row for each token
    fed. Choosing eos ends it, with eos as the last token; so do max_new_tokens
    tokens.

    >>> ex = document()
    >>> def logits_of(token_ids):
    ...     return forward(ex.model, token_ids, NoCache())
    >>> ex.texts(generate(logits_of, ex.ids(ex.prompt), ex.model.eos))
    ['간다', '.', '<EOS>']
    """
    raise NotImplementedError


def rows_of_k(prompt, new):
    """How many rows of K are computed in all, how many for the first time, and
    again.

    prompt: tokens of the prompt, new: new tokens, at least 1. Three whole
    numbers. The last new token is chosen, but never fed.

    >>> rows_of_k(2, 3)
    (9, 4, 5)
    """
    raise NotImplementedError
