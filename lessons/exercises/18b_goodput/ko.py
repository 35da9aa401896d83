"""간격과 굿풋 (18번 레슨)

토큰이 나온 시각에서 사용자가 기다린 시간을 구하고, 그 가운데 약속을 지킨
요청을 세세요. 시각은 밀리초예요.
"""


def ttft(arrival, tokens):
    """요청이 온 때(arrival)부터 첫 토큰까지의 시간. tokens: 토큰이 나온
    시각들.

    >>> ttft(100, [500, 540, 580, 1000])
    400
    """
    raise NotImplementedError


def gaps(tokens):
    """이웃한 두 토큰 사이의 시간들. 토큰이 하나면 비어 있어요.

    >>> gaps([500, 540, 580, 1000])
    [40, 40, 420]
    """
    raise NotImplementedError


def tpot(tokens):
    """첫 토큰 뒤의 토큰마다 걸린 시간의 평균. 토큰이 하나뿐이면 0이에요.

    >>> tpot([500, 550, 600, 700])
    66.6667
    >>> tpot([500])
    0
    """
    raise NotImplementedError


def goodput(requests, ttft_limit, tpot_limit, seconds):
    """1초에 몇 개의 요청이 두 약속을 모두 지켰나요? 한계와 같은 것은 지킨
    것이에요.

    requests: (arrival, tokens)의 목록, seconds: 잰 시간(초).

    >>> smooth, frozen = (0, [400, 550, 700]), (0, [400, 440, 1000])
    >>> goodput([smooth, frozen], 400, 150, 2)
    0.5
    """
    raise NotImplementedError
