"""실제 모델의 캐시 크기 (7번 레슨)

토큰 하나의 캐시 크기를 구하고, 주어진 메모리에 토큰이 몇 개 들어가는지 세세요.
"""


def bytes_per_token(layers, h_kv, d_k, bytes_per_number=2):
    """토큰 하나의 K와 V가 모든 레이어에서 차지하는 바이트. h_kv는 K/V 헤드의
    수예요.

    >>> bytes_per_token(layers=32, h_kv=32, d_k=128)  # LLaMA-2 7B
    524288
    >>> bytes_per_token(layers=32, h_kv=8, d_k=128)  # Llama-3 8B
    131072
    """
    raise NotImplementedError


def tokens_that_fit(memory, per_token):
    """memory바이트에 통째로 들어가는 토큰의 수(정수).

    >>> tokens_that_fit(2 * 2**30, 524288)
    4096
    """
    raise NotImplementedError
