"""이미 계산한 앞부분 찾기 (14번 레슨)

꽉 찬 블록을 내용으로 기억해 두고, 같은 앞부분으로 시작하는 프롬프트에 다시
쓰세요.
"""


def remember(token_ids, block_table, known, block_size):
    """시퀀스의 꽉 찬 블록을 모두 known에 기억해요. 바로 고쳐요.

    known의 열쇠는 처음부터 그 블록의 끝까지 토큰을 모두 담은 튜플, 값은 물리
    블록이에요. 이미 있는 열쇠는 그대로 둬요.

    >>> known = {}
    >>> remember([0, 1, 2, 3, 0], [4, 7, 5], known, block_size=2)
    >>> known
    {(0, 1): 4, (0, 1, 2, 3): 7}
    """
    raise NotImplementedError


def match(prompt, known, block_size):
    """프롬프트의 가장 긴 알려진 앞부분을 담은 블록들의 목록.

    마지막 토큰은 로짓을 구해야 해서 언제나 계산해요. 그러니 맞지 않은 것으로
    쳐요.

    >>> known = {(0, 1): 4, (0, 1, 2, 3): 7}
    >>> match([0, 1, 2, 3, 0], known, block_size=2)
    [4, 7]
    >>> match([0, 1, 2, 3], known, block_size=2)
    [4]
    >>> match([0, 0, 2, 3, 0], known, block_size=2)
    []
    """
    raise NotImplementedError
