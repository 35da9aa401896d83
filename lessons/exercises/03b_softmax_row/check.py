"""The document's row, rows of other lengths, large scores, scores far apart, masked ones."""

import math

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import softmax

MINUTES = 10
DIFFICULTY = 1
ROWS = [
    [7],
    [0, 0],
    [1, 2, 3, 4],
    [1000, 999],
    [-1000, -1001],
    [0, 1000],
    [1000, 0, -1000],
    [0, -math.inf],
]


def check(mine):
    tokens = document().tokens[:3]
    row = [4 / math.sqrt(2), 3 / math.sqrt(2), 4 / math.sqrt(2)]
    same("weights", mine.softmax_row(row), softmax(np.array(row)), tokens)
    for scores in ROWS:
        expected = softmax(np.array(scores, dtype=float))
        same(f"softmax_row({scores})", mine.softmax_row(list(scores)), expected)
