"""FLOPs and bytes of attention (lesson 17)

How much does attention compute for each byte in a decode step? Count the
FLOPs and bytes of one request in one layer, and divide.
"""


def attention_flops(context, h, d_k):
    """Attention of one new token: each of h query heads takes dot products
    with `context` keys (Q·Kᵀ) and mixes `context` values (weights·V). A
    multiplication is 1 FLOP, an addition is 1 FLOP. Softmax is not counted.

    >>> attention_flops(3, 2, 2)
    48
    """
    raise NotImplementedError


def kv_bytes(context, h_kv, d_k, size=2):
    """The bytes of K and V that are read for it: h_kv K/V heads, `size` bytes
    a number.

    >>> kv_bytes(3, 2, 2)
    48
    >>> kv_bytes(3, 1, 2)
    24
    """
    raise NotImplementedError


def intensity(h, h_kv, size=2):
    """FLOPs for each byte; the same whatever context and d_k are.

    >>> intensity(32, 32)  # LLaMA-2 7B
    1.0
    >>> intensity(32, 8)  # Llama-3 8B
    4.0
    """
    raise NotImplementedError
