"""One step of beam search (lesson 13)

From all beams with all tokens put behind them, choose the best candidates.
"""

import numpy as np


def best_candidates(scores, log_p, width):
    """The `width` best as (parent beam, token, score), the best first.

    scores: for each beam its score so far, a sum of log-probabilities.
    log_p: (beams, vocabulary), for each beam that of each next token.
    A candidate's score is the sum of the two. Of equal ones the earlier beam
    comes first, then the smaller token.

    The second step of lesson 13. Token 3 is the full stop, 4 is <EOS>.

    >>> scores = [-0.6760, -2.0156, -2.0156]
    >>> log_p = np.array([[-2.9, -2.9, -2.9, -0.8741, -1.6009],
    ...                   [-1.7, -1.7, -1.7, -1.7, -1.3],
    ...                   [-2.5, -2.5, -2.5, -2.5, -0.6464]])
    >>> best_candidates(scores, log_p, 3)
    [(0, 3, -1.5501), (0, 4, -2.2769), (2, 4, -2.662)]
    """
    raise NotImplementedError
