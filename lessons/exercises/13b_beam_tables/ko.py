"""빔 한 단계의 블록 테이블 (13번 레슨)

살아남은 빔은 부모의 블록 테이블을 물려받아요. 먼저 모두 포크하고, 그다음
옛 빔을 놓아주세요. K와 V는 하나도 복사하지 않아요.
"""


def fork(table, ref_cnt):
    """같은 블록을 가리키는 새 테이블. ref_cnt(블록마다의 참조 횟수 목록)를 그
    자리에서 고쳐요.

    >>> ref_cnt = [0, 1, 1, 0]
    >>> fork([1, 2], ref_cnt)
    [1, 2]
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError


def free(table, ref_cnt):
    """테이블 하나를 놓아주고, 이제 아무도 쓰지 않는 블록을 뒤의 블록부터
    돌려줘요.

    >>> ref_cnt = [0, 2, 1, 1]
    >>> free([1, 2, 3], ref_cnt)
    [3, 2]
    >>> ref_cnt
    [0, 1, 0, 0]
    """
    raise NotImplementedError


def next_tables(tables, parents, ref_cnt):
    """(새 빔들의 테이블, 아무도 쓰지 않게 된 블록들).

    parents: 새 빔마다 부모 빔의 번호. 한 빔이 여러 번 나올 수도, 나오지 않을
    수도 있어요.

    >>> ref_cnt = [0, 2, 1, 1]
    >>> next_tables([[1, 2], [1, 3]], [0, 0], ref_cnt)
    ([[1, 2], [1, 2]], [3])
    >>> ref_cnt
    [0, 2, 2, 0]
    """
    raise NotImplementedError
