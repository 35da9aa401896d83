"""선점: 누구를, 무엇을 다시 (15번 레슨)

블록이 모자라면 누구를 멈출지, 다시 시작할 때 무엇을 할지 정하세요. 방법은
둘이에요. 처음부터 다시 계산하거나(recompute), 블록을 옮겨 두었다가
가져와요(swap).
"""


def victims(running, free, needed):
    """빈 블록이 needed개가 되도록 멈출 요청의 이름을, 멈추는 순서대로.

    running: 온 순서대로의 (이름, 가진 블록 수), free: 지금 빈 블록의 수. 가장
    늦게 온 요청부터 멈추고, 맨 먼저 온 요청은 멈추지 않아요. 그래도 모자라면
    ValueError.

    >>> running = [("first", 3), ("second", 2), ("third", 1)]
    >>> victims(running, free=0, needed=1)
    ['third']
    >>> victims(running, free=0, needed=2)
    ['third', 'second']
    >>> victims(running, free=1, needed=1)
    []
    >>> victims(running, free=0, needed=4)
    Traceback (most recent call last):
        ...
    ValueError
    """
    raise NotImplementedError


def fed_again(prompt, output, way):
    """다시 시작할 때 한 번에 모델에 넣는 토큰.

    prompt: 프롬프트, output: 그때까지 만든 토큰(하나 이상). way는
    "recompute"나 "swap".

    >>> fed_again([0, 1], [2, 3, 4], "recompute")
    [0, 1, 2, 3, 4]
    >>> fed_again([0, 1], [2, 3, 4], "swap")
    [4]
    """
    raise NotImplementedError


def price(prompt, output, way, block_size):
    """멈췄다가 다시 시작하는 값: (다시 계산하는 토큰 수, 옮기는 블록 수).

    멈추지 않았어도 마지막 토큰은 계산해야 했으니 세지 않아요. 스왑은 내보낼
    때와 가져올 때 한 번씩 옮겨요. 마지막 토큰의 K와 V는 아직 없어요.

    >>> price([0, 1], [2, 3, 4], "recompute", block_size=2)
    (4, 0)
    >>> price([0, 1], [2, 3, 4], "swap", block_size=2)
    (0, 4)
    """
    raise NotImplementedError
