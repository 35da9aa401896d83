"""Attention over pages that reads right, and with five different faults."""

import numpy as np

from walkthrough.exercises import same
from walkthrough.reference import attend

MINUTES = 15
DIFFICULTY = 2


def reading(K, V, rows):
    """Attention that reads V at other rows than K, as a broken table would; −1: nan."""
    values = np.array([np.full(V.shape[1], np.nan) if r < 0 else V[r] for r in rows])
    values = np.where(np.isnan(values), 0.5, values)

    def attend_there(q):
        return attend(q[None], K, values).output[0]

    return attend_there


def check(mine):
    for n in (1, 2, 6):
        K, V = mine.needles(n)
        same(f"needles({n})[0]", K, np.eye(n))
        same(f"needles({n})[1]", V, np.arange(n)[:, None] * np.ones((1, n)))
        for position in range(n):
            q = mine.query_for(position, n)
            scaled = attend(q[None], np.eye(n), np.eye(n)).scaled[0]
            place = f"scaled scores of query_for({position}, {n})"
            same(place, scaled, 100.0 * np.eye(n)[position])
    n = 6
    K, V = np.eye(n), np.arange(n)[:, None] * np.ones((1, n))
    for name, rows in (
        ("right", [0, 1, 2, 3, 4, 5]),
        ("two blocks of 2 exchanged", [2, 3, 0, 1, 4, 5]),
        ("one slot too far", [1, 2, 3, 4, 5, 5]),
        ("a block read twice", [0, 1, 0, 1, 4, 5]),
        ("a row that was never written", [0, 1, 2, -1, 4, 5]),
    ):
        expected = {p: None if r < 0 else r for p, r in enumerate(rows) if r != p}
        got = mine.wrong_rows(reading(K, V, rows), n)
        same(f"wrong_rows  # {name}", got, expected)

    def average(q):
        return V.mean(axis=0)

    def uneven(q):
        return V[np.argmax(q)] + 0.3 * np.arange(n)

    for name, fault in (("all rows averaged", average), ("numbers of one row differ", uneven)):
        got = mine.wrong_rows(fault, n)
        same(f"wrong_rows  # {name}", got, dict.fromkeys(range(n)))
