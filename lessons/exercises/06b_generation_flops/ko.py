"""생성 전체의 계산량 (6번 레슨)

한 단계가 아니라 프리필부터 끝까지, 헤드 하나의 FLOPs를 모두 더하세요.
"""


def generation_flops(prompt, new, d_model, d, cached):
    """모델을 new번 부르는 동안의 투영, Q·Kᵀ, P·V를 모두 더한 FLOPs.

    단계 0은 프롬프트를 넣어요. 그 뒤의 단계는 캐시가 있으면(cached) 토큰 하나,
    없으면 그때까지의 토큰 전부를 넣어요. 키는 언제나 그때까지의 토큰 전부예요.

    >>> generation_flops(2, 3, 4, 2, cached=False)
    664
    >>> generation_flops(2, 3, 4, 2, cached=True)
    280
    """
    raise NotImplementedError
