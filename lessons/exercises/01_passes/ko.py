"""순전파 세기 (1번 레슨)

모델을 한 번 부르는 것이 순전파 한 번이고, 토큰이 하나 나와요. 생성이 끝날
때까지 무엇을 몇 개씩 넣는지 세세요.
"""


def fed_without_cache(prompt, new):
    """캐시가 없을 때 순전파마다 넣는 토큰의 수.

    prompt: 프롬프트의 토큰 수, new: 새로 만들 토큰의 수. 마지막 새 토큰은
    다시 넣지 않아요.

    >>> fed_without_cache(2, 3)
    [2, 3, 4]
    """
    raise NotImplementedError


def fed_with_cache(prompt, new):
    """캐시가 있을 때 순전파마다 넣는 토큰의 수.

    >>> fed_with_cache(2, 3)
    [2, 1, 1]
    """
    raise NotImplementedError


def phase(index):
    """앞에서부터 index번째(0부터) 순전파의 단계: "prefill"이나 "decode".

    >>> [phase(index) for index in range(3)]
    ['prefill', 'decode', 'decode']
    """
    raise NotImplementedError


def times_more(prompt, new):
    """캐시가 없으면 토큰을 몇 배나 더 넣나요?

    >>> times_more(2, 3)
    2.25
    """
    raise NotImplementedError
