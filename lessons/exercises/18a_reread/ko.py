"""청크가 다시 읽는 토큰 (18번 레슨)

프롬프트를 청크로 나누면 뒤의 청크는 앞의 K와 V를 다시 읽어요. 얼마나 다시
읽는지 세세요.
"""


def chunk_starts(n, chunk):
    """n토큰을 chunk개씩 나눌 때, 각 청크가 시작하는 자리. 마지막 청크는 짧을
    수 있어요.

    >>> chunk_starts(8, 2)
    [0, 2, 4, 6]
    >>> chunk_starts(5, 2)
    [0, 2, 4]
    """
    raise NotImplementedError


def reread(n, chunk):
    """앞의 청크가 이미 계산했는데 뒤의 청크가 다시 읽는 토큰의 수를 모두 더한
    것.

    >>> reread(8, 2)
    12
    >>> reread(8, 8)
    0
    >>> reread(8192, 512)
    61440
    """
    raise NotImplementedError


def weight_reads(n, chunk):
    """프롬프트 하나를 위해 가중치 전체를 읽는 횟수.

    >>> weight_reads(8, 2)
    4
    >>> weight_reads(5, 2)
    3
    """
    raise NotImplementedError
