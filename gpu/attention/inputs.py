"""The one gate before every backend: whether Q, K, V and the batch fit one another.

It looks at shapes, dtypes and devices, which are known on the host, and at block ids in the
batch's copy on the host: nothing here waits for a device.
"""

from __future__ import annotations

import torch
from torch import Tensor

from gpu.batch import Batch
from gpu.smaller.quantised import Pool, RoundedRows, check_codes
from walkthrough.reference.paged_inputs import check_shapes


def check_inputs(Q: Tensor, K: Pool, V: Pool, batch: Batch, codes: bool = True) -> None:
    """Raise ValueError where a backend would read what is not there, or another's numbers.

    Q: (n, h, d_k); K, V: one layer's pool (blocks, block_size, h_kv, d_k); n is the batch's
    number of tokens; all in one dtype, and on one device together with the batch's tensors. What
    NumPy's `paged_attention` refuses is refused in the same words. `codes`: whether the backend
    reads 8-bit pools; for them, `RoundedRows.dtype` is Q's.
    """
    if isinstance(K, RoundedRows) or isinstance(V, RoundedRows):
        if not codes:
            raise ValueError("this backend reads no K and V in 8 bits; gather does")
        check_rounded(K, V)
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


def check_rounded(K: Pool, V: Pool) -> None:
    """Raise ValueError where codes and scales of a layer's K and V do not fit one another."""
    if not (isinstance(K, RoundedRows) and isinstance(V, RoundedRows)):
        raise ValueError("K and V must both be kept in 8 bits, or neither")
    for name, pool in (("K", K), ("V", V)):
        check_codes(pool.codes.dtype)
        scales, expected = pool.scales, tuple(pool.shape[:-1])
        if scales.dtype != torch.float32 or tuple(scales.shape) != expected:
            raise ValueError(
                f"the scales of {name} are {scales.dtype} {tuple(scales.shape)}, expected "
                f"torch.float32 {expected} (blocks, block_size, h_kv)"
            )
        if scales.device != pool.device:
            raise ValueError(
                f"the codes of {name} are on {pool.device}, its scales on "
                f"{scales.device}: one device is needed"
            )
    if K.codes.dtype != V.codes.dtype:
        raise ValueError(f"K is kept in {K.codes.dtype}, V in {V.codes.dtype}: one is needed")
