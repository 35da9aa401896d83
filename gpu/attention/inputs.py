"""The one gate before every backend: whether Q, K, V and the batch fit one another.

It looks at shapes, dtypes and devices, which are known on the host, and at block ids in the
batch's copy on the host: nothing here waits for a device.
"""

from __future__ import annotations

from torch import Tensor

from gpu.batch import Batch
from walkthrough.reference.paged_inputs import check_shapes


def check_inputs(Q: Tensor, K: Tensor, V: Tensor, batch: Batch) -> None:
    """Raise ValueError where a backend would read what is not there, or another's numbers.

    Q: (n, h, d_k); K, V: one layer's pool (blocks, block_size, h_kv, d_k); n is the batch's
    number of tokens; all in one dtype, and on one device together with the batch's tensors. What
    NumPy's `paged_attention` refuses is refused in the same words.
    """
    q, k, v = Q.shape, K.shape, V.shape
    if not (
        len(q) == 3
        and len(k) == 4
        and v == k
        and q[2] == k[3]
        and q[1] >= k[2] > 0
        and q[1] % k[2] == 0
        and q[2] * k[0] * k[1]
    ):
        check_shapes(tuple(q), tuple(k), tuple(v))
    if q[0] != batch.num_tokens:
        raise ValueError(f"Q has {q[0]} rows, the batch {batch.num_tokens} tokens")
    dtype, device = Q.dtype, Q.device
    if not (dtype == K.dtype == V.dtype and dtype.is_floating_point):
        raise ValueError(
            f"Q is {dtype}, K {K.dtype}, V {V.dtype}: one floating-point dtype is needed"
        )
    if not (device == K.device == V.device == batch.block_table.device == batch.seq_lens.device):
        raise ValueError(
            f"Q is on {device}, K on {K.device}, V on {V.device}, "
            f"the batch on {batch.block_table.device}: one device is needed"
        )
    if (k[0], k[1]) not in batch.checked_for:
        batch.check_blocks(k[0], k[1])
