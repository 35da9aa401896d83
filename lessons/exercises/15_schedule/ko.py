"""누구의 토큰을 계산할까 (15번 레슨)

연속 배칭과 청크 프리필을 하는 스케줄러를 쓰세요. 블록은 넉넉하다고 해요.
"""


def schedule(running, waiting, budget, max_running):
    """이번 단계에 계산할 토큰 수: {요청 이름: 토큰 수}.

    running, waiting: (이름, 아직 넣지 않은 토큰 수)의 목록, 먼저 온 순서.
    실행 중인 요청이 차례대로, 남은 예산 안에서 필요한 만큼 받아요. 예산이 남고
    동시에 실행하는 요청이 max_running보다 적으면, 기다리는 요청이 차례대로
    들어와요. 토큰을 하나도 못 받은 요청은 결과에 넣지 않아요.

    >>> schedule([("A", 1)], [("B", 12)], budget=5, max_running=2)
    {'A': 1, 'B': 4}
    >>> schedule([("A", 1), ("B", 8)], [("C", 2)], budget=5, max_running=9)
    {'A': 1, 'B': 4}
    """
    raise NotImplementedError


def timetable(requests, budget, max_running=100):
    """모두 끝날 때까지 단계마다 schedule의 결과를 모은 목록.

    requests: (이름, 프롬프트의 토큰 수, 새 토큰 수)의 목록. 처음에는 모두
    기다려요. 프롬프트를 다 넣은 단계에서 첫 새 토큰이 나와요. 그 뒤에는
    단계마다 방금 나온 토큰 하나를 넣고 새 토큰을 하나 얻어요. 마지막 새 토큰은
    넣지 않아요.

    >>> four = [("A", 2, 2), ("B", 2, 7), ("C", 2, 3), ("D", 2, 4)]
    >>> len(timetable(four, budget=16, max_running=2))
    9
    >>> timetable([("short", 2, 2), ("long", 8, 1)], budget=5)
    [{'short': 2, 'long': 3}, {'short': 1, 'long': 4}, {'long': 1}]
    """
    raise NotImplementedError
