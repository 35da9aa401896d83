"""What is fed at each step, when it ends, and the rows counted by the model itself."""

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import NoCache, forward, generate


def check(mine):
    ex = document()
    prompt, fed = ex.ids(ex.prompt), []

    def logits_of(token_ids):
        fed.append(list(token_ids))
        return forward(ex.model, token_ids, NoCache())

    steps = list(generate(ex.model, prompt, NoCache()))
    got = mine.generate(logits_of, list(prompt), ex.model.eos)
    same("new tokens", got, [step.next_token for step in steps])
    same("fed", fed, [list(step.fed) for step in steps])
    given = list(prompt)
    mine.generate(logits_of, given, ex.model.eos)
    same("prompt", given, prompt)

    def never_ends(token_ids):  # the number of tokens, as the only large logit
        return np.eye(40)[[min(i + 1, 39) for i in range(len(token_ids))]]

    same("generate(max_new_tokens=5)", mine.generate(never_ends, [0], -1, 5), [1, 2, 3, 4, 5])
    same("generate(max_new_tokens=16)", mine.generate(never_ends, [0], -1), list(range(1, 17)))

    computed = sum(step.work.k_rows for step in steps)
    once = len(steps[-1].fed)
    same("rows_of_k(2, 3)", mine.rows_of_k(2, 3), (computed, once, computed - once))
    same("rows_of_k(5, 1)", mine.rows_of_k(5, 1), (5, 5, 0))
    same("rows_of_k(100, 50)", mine.rows_of_k(100, 50), (6225, 149, 6076))
