"""연속된 자리 찾기 (8번 레슨)

연속된 캐시의 메모리에서 빈 구간을 찾고, 요청이 들어갈 첫 자리를 고르세요.
"""


def free_runs(taken, capacity):
    """빈 구간들의 (시작, 길이) 목록, 왼쪽부터.

    taken: 쓰고 있는 (시작, 길이)의 목록. 순서는 뒤죽박죽일 수 있고 서로 겹치지
    않아요.
    capacity: 메모리 전체의 슬롯 수.

    >>> free_runs([(0, 10), (16, 10), (32, 8)], 40)
    [(10, 6), (26, 6)]
    """
    raise NotImplementedError


def first_fit(taken, capacity, size):
    """size개 슬롯이 이어진 첫 빈 구간의 시작. 없으면 None.

    >>> first_fit([(0, 10), (16, 10), (32, 8)], 40, 6)
    10
    >>> first_fit([(0, 10), (16, 10), (32, 8)], 40, 10) is None
    True
    """
    raise NotImplementedError
