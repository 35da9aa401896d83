"""What can be typed behind `walkthrough model`, and what of it goes together."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from walkthrough.commands.arguments import Parser, UsageError, decimal, whole

if TYPE_CHECKING:
    from walkthrough.llm.generation import Asked


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
    run.options.add_argument("--draft", choices=("lookup", "layers"), help=words["draft"])
    option("guesses", whole(1, 1000, words), None)
    run.options.add_argument("--kv-bits", type=int, choices=(8, 4), help=words["kv-bits"])
    run.options.add_argument("--compare", action="store_true", help=words["compare"])


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
        ("--draft", options.draft),
    ):
        if given and len(options.prompt) > 1:
            raise UsageError(words["one"].format(option=name))
    sampled = options.temperature is not None and options.temperature > 0
    for a, b, given in (
        ("--n", "--beam", options.n > 1 and options.beam > 1),
        ("--n", "--compare", options.n > 1 and options.compare),
        ("--beam", "--compare", options.beam > 1 and options.compare),
        ("--n", "--draft", options.n > 1 and options.draft),
        ("--beam", "--draft", options.beam > 1 and options.draft),
        ("--temperature", "--beam", sampled and options.beam > 1),
        ("--temperature", "--compare", sampled and options.compare),
    ):
        if given:
            raise UsageError(words["both"].format(a=a, b=b))
    if options.guesses and not options.draft:
        raise UsageError(words["needs"].format(a="--guesses", b="--draft"))
    if options.n > 1 and options.temperature == 0:
        raise UsageError(words["cold"])


def asked_for(options: argparse.Namespace) -> Asked:
    """What the options come to."""
    from walkthrough.llm.generation import Asked

    temperature = options.temperature
    if temperature is None:
        temperature = 1.0 if options.n > 1 else 0.0
    return Asked(
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
        draft=options.draft,
        guesses=options.guesses,
        kv_bits=options.kv_bits,
    )
