"""얼마나 달라도 될까 (19번 레슨)

두 결과가 순서와 반올림 때문에만 다른지, 코드가 틀렸는지 가려내세요. 허용
오차는 자료형의 반올림에서 나와요.
"""

import numpy as np


def unit(bits):
    """유효숫자가 bits비트인 수를 한 번 반올림할 때의 가장 큰 상대 오차 u.

    >>> unit(8) == 2**-8  # bfloat16
    True
    >>> unit(11) == 2**-11  # float16
    True
    """
    raise NotImplementedError


def relative_error(found, exact):
    """‖found − exact‖ / ‖exact‖. exact가 0뿐이면 ‖found − exact‖예요.

    >>> relative_error(np.array([3.0, 4.0]), np.array([3.0, 5.0]))
    0.1715
    """
    raise NotImplementedError


def worst_head(found, exact):
    """가장 나쁜 쿼리와 헤드: (오차, 쿼리, 헤드). 배열은 (n, h, d_k)이고,
    같으면 앞의 것이에요. NaN은 무엇보다 나빠요.

    >>> exact = np.ones((2, 2, 4))
    >>> found = exact.copy()
    >>> found[1, 0, 3] = 1.5
    >>> worst_head(found, exact)
    (0.25, 1, 0)
    """
    raise NotImplementedError


def agrees(found, exact, bits):
    """가장 나쁜 헤드의 오차가 u 이하인가요?

    >>> ones = np.ones((1, 1, 4))
    >>> agrees(ones, 1.001 * ones, bits=8)
    True
    >>> agrees(ones, 1.01 * ones, bits=8)
    False
    """
    raise NotImplementedError
