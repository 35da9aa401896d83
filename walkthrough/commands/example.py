"""`walkthrough example`: a file with tokens and weights of one's own, made and checked."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError

if TYPE_CHECKING:
    from walkthrough.commands.arguments import Parser
    from walkthrough.display.screen import Screen

MOST_STEPS = 16  # as many as the lessons generate

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "내 토큰과 가중치가 든 예제 파일을 만들고 확인해요",
        "action": "new: 원문의 예제를 설명과 함께 새 파일로 써요, check: 파일에 잘못이 있는지 봐요",
        "file": "예제 파일 (FILE.toml)",
        "exists": "{file}: 이미 있는 파일이에요. 다른 이름을 주세요",
        "unwritable": "{file}: 쓸 수 없어요: {reason}",
        "written": "{file} 파일을 썼어요. 바꾼 다음 이렇게 확인하세요: "
        "walkthrough example check {file}",
        "fine": "{file}: 쓸 수 있는 예제예요",
        "sizes": "크기",
        "tokens": "토큰",
        "generates": "모델이 생성하는 것",
        "prompt": "프롬프트",
        "chosen": "고른 토큰",
        "endless": "{steps}단계 안에 {eos!r}를 고르지 않아요. 레슨은 거기서 생성을 멈춰요.",
    },
    "en": {
        "help": "make and check a file with tokens and weights of your own",
        "action": "new: write the text's example with comments to a new file, "
        "check: say whether something is wrong with a file",
        "file": "the example's file (FILE.toml)",
        "exists": "{file}: is there already; give another name",
        "unwritable": "{file}: cannot be written: {reason}",
        "written": "wrote {file}; change it, then: walkthrough example check {file}",
        "fine": "{file}: an example to compute with",
        "sizes": "sizes",
        "tokens": "tokens",
        "generates": "what the model generates",
        "prompt": "prompt",
        "chosen": "chosen",
        "endless": "It does not choose {eos!r} within {steps} steps. "
        "The lessons stop generating there.",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """What to do, and the file."""
    parser.add_argument(
        "action", choices=["new", "check"], metavar="new|check", help=words["action"]
    )
    parser.add_argument("file", metavar="FILE.toml", help=words["file"])


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Write the file, or check it; a file that is not right is status 2."""
    if options.action == "new":
        _write(options.file, screen, language)
    else:
        _check(options.file, screen, language)
    return 0


def _write(file: str, screen: Screen, language: str) -> None:
    from walkthrough.document.example import document
    from walkthrough.document.template import commented

    words = WORDS[language]
    text = commented(document(), language, file)
    try:
        with Path(file).open("x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError as error:
        raise UsageError(words["exists"].format(file=file)) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise CommandError(words["unwritable"].format(file=file, reason=reason)) from error
    screen.text(words["written"].format(file=file))


def _check(file: str, screen: Screen, language: str) -> None:
    from walkthrough.commands.run import use_example
    from walkthrough.display.table import Table
    from walkthrough.reference.cache import NoCache
    from walkthrough.reference.model import generate

    words = WORDS[language]
    example = use_example(file, language)
    screen.text(words["fine"].format(file=file))
    screen.text()
    sizes = [example.d_model, example.heads, example.d_k, len(example.tokens)]
    screen.table(Table(words["sizes"], [sizes], cols=["d_model", "heads", "d_k", words["tokens"]]))
    steps = list(generate(example.model, example.ids(example.prompt), NoCache(), MOST_STEPS))
    chosen = example.texts(step.next_token for step in steps)
    screen.text()
    screen.table(
        Table(
            words["generates"],
            [[" ".join(example.prompt), " ".join(chosen)]],
            cols=[words["prompt"], words["chosen"]],
        )
    )
    if chosen[-1] != example.eos:
        screen.text()
        screen.prose(words["endless"].format(eos=example.eos, steps=len(steps)))
