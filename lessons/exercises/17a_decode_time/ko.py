"""디코드 한 단계의 시간 (17번 레슨)

디코드 한 단계가 적어도 몇 초 걸리는지, 몇 개를 함께 계산해야 연산 병목이
되는지 구하세요. 가중치는 모든 요청을 위해 한 번 읽고, K/V는 요청마다 읽어요.
"""


def decode_time(batch, context, parameters, kv_bytes, machine):
    """한 단계의 이론적 하한(초): 계산하는 시간과 읽는 시간 중 더 긴 것.

    batch: 요청의 수, context: 요청마다 읽는 토큰의 수, parameters: 가중치의
    수(하나에 2바이트), kv_bytes: 토큰 하나의 K와 V의 바이트, machine: (1초에
    하는 FLOP, 1초에 읽는 바이트).

    가중치 하나는 요청 하나에 2 FLOP이에요. 어텐션의 FLOP은 적으니 세지
    않아요.

    >>> decode_time(1, 0, 1000, 10, (4000, 1000))
    2.0
    >>> decode_time(4, 100, 1000, 10, (4000, 1000))
    6.0
    >>> decode_time(32, 0, 1000, 10, (4000, 1000))
    16.0
    """
    raise NotImplementedError


def first_compute_bound_batch(machine):
    """K/V를 빼고 가중치만 볼 때, 계산하는 시간이 읽는 시간보다 짧지 않은 가장
    작은 배치.

    >>> first_compute_bound_batch((4000, 1000))
    4
    >>> first_compute_bound_batch((312e12, 2039e9))  # an A100
    154
    """
    raise NotImplementedError
