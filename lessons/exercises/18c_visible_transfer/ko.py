"""레이어마다 보내기 (18번 레슨)

프리필을 하는 장치가 K와 V를 디코드하는 장치로 보내요. 레이어 하나를
계산하자마자 보내면, 프리필이 끝난 뒤에 얼마나 더 기다려야 할까요?
"""


def send_times(layers, compute, send):
    """레이어마다 (보내기 시작한 때, 다 보낸 때). 링크는 한 번에 하나만
    보내요.

    레이어 i는 (i + 1) · compute에 계산이 끝나고, 보내는 데 send가 걸려요.

    >>> send_times(3, 4, 1)
    [(4, 5), (8, 9), (12, 13)]
    >>> send_times(3, 1, 4)
    [(1, 5), (5, 9), (9, 13)]
    """
    raise NotImplementedError


def visible(layers, compute, send):
    """프리필이 끝난 때부터 모두 보낸 때까지의 시간.

    >>> visible(3, 4, 1)
    1
    >>> visible(3, 1, 4)
    10
    """
    raise NotImplementedError


def visible_at_once(layers, compute, send):
    """모두 계산한 다음에 한꺼번에 보낼 때의 같은 시간.

    >>> visible_at_once(3, 4, 1)
    3
    """
    raise NotImplementedError
