"""어텐션의 FLOP과 바이트 (17번 레슨)

디코드할 때 어텐션은 바이트마다 계산을 몇 번 할까요? 요청 하나, 레이어
하나의 FLOP과 바이트를 세어 나누세요.
"""


def attention_flops(context, h, d_k):
    """새 토큰 하나의 어텐션: h개의 쿼리 헤드가 저마다 키 context개와
    내적하고(Q·Kᵀ), 값 context개를 섞어요(가중치·V). 곱셈 하나, 덧셈 하나를 1
    FLOP씩 세요. 소프트맥스는 세지 않아요.

    >>> attention_flops(3, 2, 2)
    48
    """
    raise NotImplementedError


def kv_bytes(context, h_kv, d_k, size=2):
    """그때 읽는 K와 V의 바이트. 숫자 하나는 size바이트이고, K/V 헤드는
    h_kv개예요.

    >>> kv_bytes(3, 2, 2)
    48
    >>> kv_bytes(3, 1, 2)
    24
    """
    raise NotImplementedError


def intensity(h, h_kv, size=2):
    """바이트마다의 FLOP. context와 d_k가 얼마든 같아요.

    >>> intensity(32, 32)  # LLaMA-2 7B
    1.0
    >>> intensity(32, 8)  # Llama-3 8B
    4.0
    """
    raise NotImplementedError
