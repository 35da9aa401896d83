"""레인에서 블록과 슬롯으로 (20번 레슨)

커널은 키를 타일로 나누어 읽고, 타일 안의 레인 하나가 키 하나를 맡아요.
레인마다 어느 블록의 어느 슬롯을 읽을지 정하세요. 시퀀스의 끝을 넘는 레인은
쉬어야 해요.
"""


def lane_address(position, block_table, block_size, seq_len):
    """그 위치의 (물리 블록, 슬롯). 시퀀스의 끝을 넘으면 None이고, 그때는
    테이블도 읽지 않아요.

    >>> lane_address(3, [1, 3, 5], 2, seq_len=5)
    (3, 1)
    >>> lane_address(5, [1, 3, 5], 2, seq_len=5) is None
    True
    """
    raise NotImplementedError


def tile_addresses(start, tile, block_table, block_size, seq_len):
    """위치 start에서 시작하는 타일의 레인마다 하나씩.

    >>> tile_addresses(3, 3, [1, 3, 5], 2, seq_len=5)
    [(3, 1), (5, 0), None]
    """
    raise NotImplementedError


def table_reads(seq_len, tile, block_size):
    """타일마다 블록 테이블의 서로 다른 칸을 몇 개 읽는지.

    >>> table_reads(seq_len=5, tile=3, block_size=2)
    [2, 2]
    >>> table_reads(seq_len=64, tile=32, block_size=16)
    [2, 2]
    """
    raise NotImplementedError
