"""The document's row, large and masked scores, and rows of other lengths."""

import math

import numpy as np

from walkthrough.document import document
from walkthrough.exercises import same
from walkthrough.reference import softmax


def check(mine):
    tokens = document().tokens[:3]
    row = [4 / math.sqrt(2), 3 / math.sqrt(2), 4 / math.sqrt(2)]
    same("weights", mine.softmax_row(row), softmax(np.array(row)), tokens)
    for scores in ([7], [0, 0], [1, 2, 3, 4], [1000, 999], [-1000, -1001], [0, -math.inf]):
        expected = softmax(np.array(scores, dtype=float))
        same(f"softmax_row({scores})", mine.softmax_row(list(scores)), expected)
