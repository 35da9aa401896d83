"""추측 디코딩 한 단계 (23번 레슨)

토큰이 정확히 모델의 확률을 따르도록 짐작을 확인하세요.
"""


def residual(p, q):
    """거절한 뒤에 뽑을 확률: max(p - q, 0)을 그 합으로 나눈 것.

    p, q: 토큰마다 확률이 하나씩 든 목록. 같은 모양의 목록을 돌려줘요.

    >>> residual([0.5, 0.25, 0.25], [0.25, 0.25, 0.5])
    [1.0, 0.0, 0.0]
    """
    raise NotImplementedError


def speculative_step(guesses, q, p, draw):
    """짐작을 확인해서 나온 토큰들: 하나 이상이 든 목록.

    q[i]: 짐작 i를 뽑은 확률. p[i]: 같은 자리에서 모델의 확률. p에는 마지막
    짐작 다음 자리의 것이 하나 더 있어요. draw(weights)는 번호를 돌려줘요.
    번호 i가 나올 확률이 weights[i]이고, 모두 더하면 1이에요.

    토큰 1을 두 번 확신하는 드래프트와, 역시 확신하는 모델이에요.

    >>> certain = lambda weights: weights.index(1)
    >>> one, zero = [0, 1], [1, 0]
    >>> speculative_step([1, 1], [one, one], [one, one, zero], certain)
    [1, 1, 0]
    >>> speculative_step([1, 1], [one, one], [one, zero, one], certain)
    [1, 0]
    >>> speculative_step([], [], [zero], certain)
    [0]
    """
    raise NotImplementedError
