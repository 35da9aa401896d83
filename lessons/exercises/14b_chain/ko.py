"""해시 사슬과 축출 순서 (14번 레슨)

블록의 내용을 앞에서부터 이어지는 해시로 식별하고, 블록이 모자랄 때 어느
블록을 먼저 내줄지 정하세요.
"""

from hashlib import sha256


def block_hashes(token_ids, block_size, before):
    """가득 찬 블록마다의 해시(bytes).

    SHA-256(앞 블록의 해시 + 토큰마다 8바이트, 작은 자리부터). 첫 블록 앞의
    해시는 before예요. 토큰을 바이트로: token.to_bytes(8, "little").

    >>> hashes = block_hashes([0, 1, 2, 3, 4], 2, before=bytes(32))
    >>> [value.hex()[:8] for value in hashes]
    ['47ebc1df', 'f31e655c']
    """
    raise NotImplementedError


def hit(prompt, known, block_size, before):
    """다시 쓸 수 있는 토큰의 수. known: 기억해 둔 해시들.

    사슬이 끊기면 거기까지예요. 마지막 토큰은 늘 다시 계산하니 적중에 들어가지
    않아요.

    >>> known = set(block_hashes([0, 1, 2, 3], 2, before=b""))
    >>> hit([0, 1, 2, 3, 4], known, 2, before=b"")
    4
    >>> hit([0, 1, 2, 3], known, 2, before=b"")
    2
    """
    raise NotImplementedError


def hand_out(free, has_content):
    """빈 블록을 내주는 순서대로 늘어놓은 것.

    free: 돌려받은 순서대로의 블록, has_content: 기억해 둔 내용이 있는 블록의
    집합. 내용이 없는 블록을 늦게 돌려받은 것부터, 그다음 내용이 있는 블록을
    먼저 돌려받은 것부터 내줘요.

    >>> hand_out([5, 2, 7, 3], has_content={2, 3})
    [7, 5, 2, 3]
    """
    raise NotImplementedError
