"""나의 PagedCache (9~12번 레슨)

지금까지 쓴 것을 모아 페이지드 KV 캐시를 통째로 만드세요. 다 되면 교재의 캐시
대신 원문의 예제를 끝까지 생성해요. 앞의 연습 문제에서 쓴 코드를 가져와도
좋아요.

레이어 수, K/V 헤드 수, 블록 크기는 무엇이든 될 수 있어요. 한 번의 순전파는
extend를 한 번, 그리고 레이어마다 write와 attend를 불러요.
"""

import copy
import math

import numpy as np

from walkthrough.document import document
from walkthrough.reference import generate


class OutOfBlocks(Exception):
    """빈 블록이 모자라요. 그대로 쓰세요."""


class PagedCache:
    """시퀀스 하나의 K와 V. 블록 풀은 갈래들과 함께 써요.

    >>> ex = document()
    >>> cache = PagedCache(5, block_size=2, d_k=ex.d_k, h_kv=ex.heads)
    >>> steps = generate(ex.model, ex.ids(ex.prompt), cache)
    >>> ex.texts(step.next_token for step in steps)
    ['간다', '.', '<EOS>']
    >>> cache.num_computed_tokens, cache.num_free_blocks
    (4, 2)
    >>> child = cache.fork()
    >>> child.num_computed_tokens, child.num_free_blocks
    (4, 2)
    >>> child.extend([0, 1, 2, 3, 4])
    Traceback (most recent call last):
        ...
    OutOfBlocks
    """

    def __init__(
        self,
        num_blocks,
        block_size,
        d_k,
        layers=1,
        h_kv=1,
        dtype=float,
    ):
        """블록 num_blocks개의 풀을 만들어요.

        블록 0은 아무에게도 주지 않아요. dtype은 K와 V를 저장하는 자료형이에요.
        """
        raise NotImplementedError

    @property
    def num_computed_tokens(self):
        """이 시퀀스의 토큰 수."""
        raise NotImplementedError

    @property
    def num_free_blocks(self):
        """지금 가져올 수 있는 블록의 수."""
        raise NotImplementedError

    def extend(self, token_ids):
        """토큰마다 슬롯을 하나씩 마련해요.

        덜 찬 마지막 블록을 다른 갈래와 함께 쓰고 있으면 먼저 복사해요(쓰기 시
        복사). 블록이 모자라면 OutOfBlocks를 내고 아무것도 바꾸지 않아요.
        """
        raise NotImplementedError

    def write(self, layer, K, V):
        """마지막 extend의 토큰 n개의 행을 이 레이어에 써요.

        K, V: (n, h_kv, d_k).
        """
        raise NotImplementedError

    def attend(self, layer, Q, work=None):
        """마지막 n개 토큰이 시퀀스 전체를 봐요, 각자 자기 위치까지.

        Q: (n, h, d_k). 결과도 같은 모양이에요. 쿼리 헤드 g는 K/V 헤드
        g // (h / h_kv)를 읽어요. work는 계산량을 세는 데 쓰는 것이라 안 써도
        돼요.
        """
        raise NotImplementedError

    def fork(self):
        """같은 블록을 쓰는 새 캐시. 블록을 하나도 가져오지 않아요."""
        raise NotImplementedError

    def free(self):
        """이 시퀀스를 비우고, 아무도 쓰지 않는 블록을 풀에 돌려줘요."""
        raise NotImplementedError
