"""보낼 바이트 (25번 레슨)

프리필이 끝난 프롬프트를 다른 풀로 보내요. 받는 쪽에 없는 블록만, 통째로
보내세요.
"""


def known_blocks(prompt, held, size):
    """받는 쪽에 이미 있는 프롬프트의 앞쪽 블록의 수.

    held는 받는 쪽 블록에 저장된 시퀀스의 목록이고, 저마다 토큰의 목록이에요.
    size개의 토큰이 가득 찬 블록만 세요. 블록이 같으려면 그 앞의 토큰도 모두
    같아야 해요. 디코드만 하는 쪽이니, 프롬프트의 마지막 토큰이 든 블록도 이미
    있을 수 있어요.

    >>> known_blocks([1, 2, 3, 4, 5], [[1, 2, 3, 4, 9]], size=2)
    2
    >>> known_blocks([1, 2, 3, 4], [[7, 2, 3, 4], [1, 2, 3]], size=2)
    1
    """
    raise NotImplementedError


def pairs(here, there, known):
    """보낼 블록의 쌍 (여기 블록, 저기 블록), 프롬프트의 차례대로. here와
    there는 두 쪽의 블록 테이블이에요.

    >>> pairs([1, 2, 3], [4, 8, 5], known=1)
    [(2, 8), (3, 5)]
    """
    raise NotImplementedError


def bytes_to_send(n, known, size, layers, h_kv, d_k, itemsize):
    """n토큰짜리 프롬프트에서 앞의 known개 블록을 빼고 보낼 때의 바이트. K와
    V를 모든 레이어에서 블록째로 보내요. 숫자 하나는 itemsize바이트예요.

    >>> bytes_to_send(5, 2, size=2, layers=3, h_kv=2, d_k=4, itemsize=2)
    192
    >>> bytes_to_send(2048, 0, 16, 32, 8, 128, 2) == 2048 * 131072
    True
    """
    raise NotImplementedError
