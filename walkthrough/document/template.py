"""The text's example as a TOML file to change, each part with a comment."""

from __future__ import annotations

import json
from typing import Any

from walkthrough.document.example import Example
from walkthrough.document.words import COMMENTS


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
