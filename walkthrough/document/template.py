"""The text's example as a TOML file to change, each part with a comment."""

from __future__ import annotations

import json
from typing import Any

from walkthrough.document.example import Example

COMMENTS: dict[str, dict[str, str]] = {
    "ko": {
        "head": "레슨이 계산할 예제예요. 무엇이든 바꾼 다음 이렇게 확인하고 실행하세요:\n"
        "  walkthrough example check {file}\n"
        "  walkthrough run 5 --example {file}",
        "title": "레슨 위에 나오는 제목",
        "prompt": "모델에 처음 넣는 토큰들. 아래 [[token]]에 있는 것만, 몇 번이든 쓸 수 있어요",
        "eos": "모델이 이 토큰을 고르면 생성이 끝나요",
        "sizes": "임베딩의 숫자 개수, 헤드 수, 한 헤드의 쿼리와 키와 값의 숫자 개수",
        "tokens": "모델이 아는 토큰. 두 개 이상, 임베딩은 숫자 d_model개",
        "heads": "헤드마다 하나씩. 행렬은 모두 d_model행 d_k열",
        "output": "출력층",
        "W_O": "(heads · d_k)행 d_model열. heads · d_k = d_model이면 빼도 돼요 (그러면 단위행렬)",
        "W_vocab": "d_model행, 열은 토큰마다 하나. 빼도 돼요 (그러면 임베딩의 전치)",
    },
    "en": {
        "head": "The lessons' example. Change what you like, then check and run it:\n"
        "  walkthrough example check {file}\n"
        "  walkthrough run 5 --example {file}",
        "title": "stands above the lessons",
        "prompt": "the tokens fed first: any of the [[token]]s below, as often as you like",
        "eos": "generation ends when the model chooses this token",
        "sizes": "numbers in an embedding; heads; numbers in a query, key or value of one head",
        "tokens": "The tokens that the model knows: two or more, embeddings of d_model numbers.",
        "heads": "One for each head. All matrices have d_model rows and d_k columns.",
        "output": "The output layer.",
        "W_O": "heads · d_k rows, d_model columns; may be left out if heads · d_k = d_model "
        "(then the identity)",
        "W_vocab": "d_model rows, a column for each token; may be left out "
        "(then the embeddings, transposed)",
    },
}


def commented(example: Example, language: str, file: str) -> str:
    """The example as TOML; `file` is what the comments call it."""
    say = COMMENTS[language]
    head = say["head"].format(file=file).splitlines()
    lines = [
        *(f"# {line}" for line in head),
        "",
        f"title = {_text(example.title)}  # {say['title']}",
        f"# {say['prompt']}",
        f"prompt = [{', '.join(map(_text, example.prompt))}]",
        f"eos = {_text(example.eos)}  # {say['eos']}",
        "",
        f"# {say['sizes']}",
        f"d_model = {example.d_model}",
        f"heads = {example.heads}",
        f"d_k = {example.d_k}",
        "",
        f"# {say['tokens']}",
    ]
    for token, embedding in zip(example.tokens, example.embedding, strict=True):
        lines += ["[[token]]", f"text = {_text(token)}", f"embedding = {_row(embedding)}", ""]
    lines.append(f"# {say['heads']}")
    for weights in zip(example.W_Q, example.W_K, example.W_V, strict=True):
        lines.append("[[head]]")
        for name, matrix in zip(("W_Q", "W_K", "W_V"), weights, strict=True):
            lines += _matrix(name, matrix)
        lines.append("")
    lines += [f"# {say['output']}", "[output]", f"# {say['W_O']}", *_matrix("W_O", example.W_O)]
    lines += [f"# {say['W_vocab']}", *_matrix("W_vocab", example.W_vocab)]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string of printable text is TOML's, too


def _row(row: Any) -> str:
    """Numbers, whole ones as such."""
    return f"[{', '.join(repr(int(x)) if x == int(x) else repr(x) for x in row.tolist())}]"


def _matrix(name: str, matrix: Any) -> list[str]:
    return [f"{name} = [", *(f"    {_row(row)}," for row in matrix), "]"]
