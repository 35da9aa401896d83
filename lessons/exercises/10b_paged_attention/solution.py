import math

import numpy as np


def paged_attention(q, K, V, block_table, seq_len):
    block_size = K.shape[1]
    m, l, o = -math.inf, 0.0, np.zeros(len(q))
    for logical in range(-(-seq_len // block_size)):
        used = min(block_size, seq_len - logical * block_size)
        physical = block_table[logical]
        scores = K[physical, :used] @ q / math.sqrt(len(q))  # (used,)
        largest = max(m, scores.max())
        exponentials = np.exp(scores - largest)
        rescale = math.exp(m - largest)  # 0 at the first block
        l = l * rescale + exponentials.sum()
        o = o * rescale + exponentials @ V[physical, :used]
        m = largest
    return o / l
