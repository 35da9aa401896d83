"""윈도에 남은 블록 (24번 레슨)

슬라이딩 윈도가 지나간 블록을 풀에 돌려주고, 아직 필요한 블록을 세세요.
"""


def slide(block_table, m, window, block_size, free_blocks):
    """토큰 m개를 계산한 뒤, 다음 토큰이 보지 않을 블록을 돌려주세요. 돌려준
    것이 없으면 아무것도 바꾸지 않아요.

    다음 토큰은 자기까지 window개의 위치를 봐요. 그러니 앞의 window - 1개가
    필요해요. 블록 전체가 그보다 앞에 있으면, 그 블록을 free_blocks의 끝에
    넣고 테이블의 그 자리를 None으로 바꾸세요. 이미 None인 자리는 그대로 둬요.
    여럿이면 앞의 것부터예요.

    >>> table, free = [5, 2, 7], [1]
    >>> slide(table, 5, window=4, block_size=2, free_blocks=free)
    >>> table, free
    ([None, 2, 7], [1, 5])
    >>> slide(table, 6, window=4, block_size=2, free_blocks=free)
    >>> table, free
    ([None, 2, 7], [1, 5])
    """
    raise NotImplementedError


def blocks_held(m, window, block_size, sinks=0):
    """토큰 m개를 계산한 뒤에 필요한 블록의 수. 처음 sinks개의 토큰은 누구나
    봐요.

    >>> blocks_held(5, window=4, block_size=2)
    2
    >>> blocks_held(9, window=4, block_size=2, sinks=1)
    3
    >>> blocks_held(32768, window=1024, block_size=16)
    64
    """
    raise NotImplementedError
