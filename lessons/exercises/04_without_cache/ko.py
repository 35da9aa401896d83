"""캐시 없는 디코드 (4번 레슨)

캐시가 없으면 한 단계마다 문장 전체를 처음부터 다시 넣어요. 그 반복을 쓰고,
얼마나 낭비하는지 세어 보세요.
"""

from walkthrough.document import document
from walkthrough.reference import NoCache, forward


def generate(logits_of, prompt, eos, max_new_tokens=16):
    """프롬프트 뒤에 이어지는 새 토큰들의 목록. 매번 가장 큰 로짓의 토큰을
    골라요.

    logits_of(token_ids)는 넣은 토큰마다 한 행인 로짓 (n, vocabulary)을
    돌려줘요. eos를 고르면 그것까지 담고 끝내요. 많아야 max_new_tokens개까지
    만들어요.

    >>> ex = document()
    >>> def logits_of(token_ids):
    ...     return forward(ex.model, token_ids, NoCache())
    >>> ex.texts(generate(logits_of, ex.ids(ex.prompt), ex.model.eos))
    ['간다', '.', '<EOS>']
    """
    raise NotImplementedError


def rows_of_k(prompt, new):
    """K의 행을 모두 몇 개 계산했는지, 그중 처음은 몇 개, 다시 계산한 것은 몇
    개인지.

    prompt: 프롬프트의 토큰 수, new: 새 토큰 수(1 이상). 정수 셋을 돌려줘요.
    마지막 새 토큰은 고르기만 하고 넣지 않아요.

    >>> rows_of_k(2, 3)
    (9, 4, 5)
    """
    raise NotImplementedError
