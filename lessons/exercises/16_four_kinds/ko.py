"""메모리의 슬롯을 네 가지로 나누기 (16번 레슨)

예약한 자리와 블록이 각각 어디에 쓰이는지 세세요. 셋으로 나누면 나머지가
넷째예요.
"""


def reserved_size(policy, prompt, output, longest):
    """요청 하나를 위해 예약하는 슬롯의 수.

    prompt, output: 프롬프트와 새 토큰의 수. 마지막 새 토큰은 슬롯을 쓰지
    않아요. policy가 "longest"면 longest개, "power of two"면 프롬프트에
    output을 2의 거듭제곱으로 올림한 수를 더한 것, "oracle"이면 꼭 쓸
    만큼이에요.

    >>> reserved_size("longest", 2, 3, 16)
    16
    >>> reserved_size("power of two", 2, 3, 16)
    6
    >>> reserved_size("oracle", 2, 3, 16)
    4
    """
    raise NotImplementedError


def reserved_kinds(written, stored, size):
    """예약한 size개의 슬롯: (토큰이 있는 것, 앞으로 쓸 것, 끝까지 쓰지 않을
    것).

    written: 지금까지 쓴 토큰 수, stored: 이 요청이 끝까지 쓸 토큰 수.

    >>> reserved_kinds(2, 4, 16)
    (2, 2, 12)
    """
    raise NotImplementedError


def paged_kinds(written, block_size):
    """블록으로 나눠 줄 때의 같은 셋.

    >>> paged_kinds(5, 2)
    (5, 0, 1)
    """
    raise NotImplementedError
