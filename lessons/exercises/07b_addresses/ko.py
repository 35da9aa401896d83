"""메모리에서 행을 찾기 (7번 레슨)

캐시는 (레이어, 슬롯, K/V 헤드, d_k) 순서로 한 줄에 놓여 있어요. 검색하지
않고 곱셈으로 행을 찾으세요. 주소는 캐시의 처음부터 센 바이트예요.
"""


def strides(slots, h_kv, d_k, size):
    """다음 레이어, 다음 슬롯, 다음 헤드, 다음 숫자까지의 바이트 수. size:
    숫자 하나의 바이트.

    >>> strides(slots=4, h_kv=2, d_k=3, size=8)
    (192, 48, 24, 8)
    """
    raise NotImplementedError


def address(layer, slot, head, slots, h_kv, d_k, size):
    """한 행(한 레이어, 한 슬롯, 한 헤드)의 첫 바이트. 없는 곳이면 ValueError.

    >>> address(0, 1, 0, slots=4, h_kv=2, d_k=3, size=8)
    48
    >>> address(1, 2, 1, slots=4, h_kv=2, d_k=3, size=8)
    312
    >>> address(0, 4, 0, slots=4, h_kv=2, d_k=3, size=8)
    Traceback (most recent call last):
        ...
    ValueError
    """
    raise NotImplementedError


def pieces(n, h_kv, d_k, size, heads_first):
    """헤드 하나의 이웃한 n토큰을 읽을 때: (이어진 조각의 수, 조각 하나의
    바이트).

    heads_first가 참이면 순서가 (레이어, 헤드, 슬롯, d_k)예요.

    >>> pieces(16, 8, 128, 2, heads_first=False)
    (16, 256)
    >>> pieces(16, 8, 128, 2, heads_first=True)
    (1, 4096)
    """
    raise NotImplementedError
