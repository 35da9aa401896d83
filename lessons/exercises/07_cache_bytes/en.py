"""How many bytes a real cache takes (lesson 7)

Compute the cache of one token, and how many tokens fit into a given memory.
"""


def bytes_per_token(layers, h_kv, d_k, bytes_per_number=2):
    """Bytes of one token's K and V in all layers. h_kv: K/V heads.

    >>> bytes_per_token(layers=32, h_kv=32, d_k=128)  # LLaMA-2 7B
    524288
    >>> bytes_per_token(layers=32, h_kv=8, d_k=128)  # Llama-3 8B
    131072
    """
    raise NotImplementedError


def tokens_that_fit(memory, per_token):
    """Whole tokens that fit into `memory` bytes.

    >>> tokens_that_fit(2 * 2**30, 524288)
    4096
    """
    raise NotImplementedError
