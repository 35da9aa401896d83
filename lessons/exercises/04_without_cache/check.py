"""What is fed at each step, when it ends, and the rows counted by the model itself."""

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import NoCache, forward, generate

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    ex = document()
    prompt, fed = ex.ids(ex.prompt), []

    def logits_of(token_ids):
        fed.append(list(token_ids))
        return forward(ex.model, token_ids, NoCache())

    steps = list(generate(ex.model, prompt, NoCache()))
    got = mine.generate(logits_of, list(prompt), ex.model.eos)
    same("fed", fed, [list(step.fed) for step in steps])
    same("new tokens", got, [step.next_token for step in steps])

    def counting(token_ids):  # the number of tokens, as the only large logit
        logits = np.zeros((len(token_ids), 40))
        logits[range(len(token_ids)), range(1, len(token_ids) + 1)] = range(len(token_ids), 0, -1)
        return logits

    for given, eos, most, new in (
        ([0], -1, 5, [1, 2, 3, 4, 5]),
        ([7, 7, 7], -1, 2, [3, 4]),
        ([0], -1, 1, [1]),
        ([0], 3, 9, [1, 2, 3]),
        ([0], 3, 3, [1, 2, 3]),
        ([0, 3], 2, 9, [2]),
    ):
        place = f"generate(logits_of, {given}, eos={eos}, max_new_tokens={most})"
        same(place, mine.generate(counting, list(given), eos, most), new)
    same("generate(logits_of, [0], eos=-1)", mine.generate(counting, [0], -1), [*range(1, 17)])

    computed = sum(step.work.k_rows for step in steps)
    once = len(steps[-1].fed)
    names = "in all", "first time", "again"
    same("rows_of_k(2, 3)", mine.rows_of_k(2, 3), (computed, once, computed - once), names)
    same("rows_of_k(5, 1)", mine.rows_of_k(5, 1), (5, 5, 0), names)
    same("rows_of_k(100, 50)", mine.rows_of_k(100, 50), (6225, 149, 6076), names)
