"""The same greedy tokens by every kind of cache, and what each of them cost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from walkthrough.display.table import Table
from walkthrough.installation import install_command
from walkthrough.llm.guessing import GuessTally, guessing_steps, paged_cache
from walkthrough.llm.rounded import bytes_per_token, cache_for, closeness
from walkthrough.llm.threads import Threaded
from walkthrough.llm.words import COMPARISON
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.cache import ContiguousCache, NoCache
from walkthrough.reference.model import next_logits
from walkthrough.reference.paged import GatheredCache, PagedCache, PagedStorage
from walkthrough.reference.work import Work

if TYPE_CHECKING:
    from walkthrough.display.screen import Screen
    from walkthrough.llm.generation import Asked
    from walkthrough.llm.loading import LanguageModelFile


@dataclass(frozen=True)
class Way:
    """A model and a cache to run it with; the torch ones have the same methods on tensors."""

    name: str
    model: Any
    cache: Any
    megabytes: float  # that the cache reserves


MakeWay = Callable[[int], Way]  # for a sequence of this length


def ways(file: LanguageModelFile, asked: Asked, length: int) -> Iterator[Way]:
    """Each way in turn, made when it is its turn."""
    llama, size = file.model, asked.block_size
    model, megabytes = Threaded(llama, asked.threads), llama.bytes_per_token / 1e6
    num_blocks = -(-length // size)
    yield Way("none", model, NoCache(), 0)
    yield Way("contiguous", model, ContiguousCache(length, **llama.cache_shape), length * megabytes)
    kinds: dict[str, type[PagedCache]] = {"paged": PagedCache, "gathered": GatheredCache}
    for name, kind in kinds.items():
        storage = PagedStorage(num_blocks + 1, size, **llama.cache_shape)
        cache = kind(storage, Sequence(BlockPool(num_blocks + 1), size))
        yield Way(name, model, cache, num_blocks * size * megabytes)
    if bits := asked.kv_bits:
        megabytes = bytes_per_token(llama, bits) / 1e6
        rounded = cache_for(llama, size, length, bits)
        yield Way(f"bits.{bits}", model, rounded, num_blocks * size * megabytes)


def _guessing(
    file: LanguageModelFile, asked: Asked, prompt: list[int], tally: GuessTally
) -> tuple[list[int], list[float]]:
    """The tokens with guesses, and what that cost; a draft's own rows are not counted."""
    length = len(prompt) + asked.max_new_tokens
    cache = paged_cache(file.model, asked.block_size, length)
    tokens, k_rows = list(prompt), 0
    for step in guessing_steps(file, asked, cache, tally):
        tokens += step.tokens
        k_rows += step.work.k_rows
    slots = cache.sequence.pool.num_free_blocks + cache.sequence.pool.num_used_blocks
    megabytes = slots * asked.block_size * file.model.bytes_per_token / 1e6
    times = 1000 * tally.seconds[0], 1000 * tally.per_token
    return tokens, [*times, k_rows, megabytes]


def compare(
    file: LanguageModelFile, asked: Asked, screen: Screen, language: str, torch: MakeWay | None
) -> bool:
    """Generate the same answer in each way; print it once, and a line a way. True: all the same.

    K and V in fewer bits may lead to other tokens: how far its logits are off is said then.

    `torch` makes the way in torch; None where it is not installed, which is said then.
    """
    words, prompt = COMPARISON[language], file.ids(asked.prompts[0])
    cells: list[list[float | str]] = []
    names: list[str] = []
    answer: list[int] = []
    length = len(prompt) + asked.max_new_tokens
    for way in itertools.chain(ways(file, asked, length), [torch(length)] if torch else []):
        work, seconds, tokens = Work(), list[float](), list(prompt)
        while len(tokens) < length and tokens[-1] != way.model.eos:
            start = time.perf_counter()
            fed = tokens[way.cache.num_computed_tokens :]
            tokens.append(int(next_logits(way.model, fed, way.cache, work).argmax()))
            seconds.append(time.perf_counter() - start)
        if not answer:
            answer = tokens
            screen.write(asked.prompts[0] + file.text(tokens[len(prompt) :]) + "\n\n")
            screen.flush()
        names.append(words[way.name])
        later = float(np.median(seconds[1:] or seconds))
        verdict = words["same" if tokens == answer else "different"]
        cells.append([verdict, 1000 * seconds[0], 1000 * later, work.k_rows, way.megabytes])
    tally = GuessTally()
    if asked.draft:
        tokens, row = _guessing(file, asked, prompt, tally)
        names.append(words[asked.draft])
        cells.append([words["same" if tokens == answer else "different"], *row])
    columns = words["columns"].split("|")
    screen.table(Table(words["title"], cells, rows=names, cols=columns))
    if asked.kv_bits:
        model, size = Threaded(file.model, asked.threads), asked.block_size
        exact, rounded = (
            cache_for(file.model, size, length, bits) for bits in (None, asked.kv_bits)
        )
        screen.text()
        screen.table(closeness(model, exact, rounded, answer, len(prompt)).table(language))
    if asked.draft:
        screen.text()
        screen.table(tally.table(language))
    if torch is None:
        screen.text()
        screen.text(words["no torch"].format(command=install_command("gpu")))
    free = {words[f"bits.{bits}"] for bits in (8, 4)}  # rounded: its tokens may be others
    named = zip(names, cells, strict=True)
    return all(row[0] == words["same"] for name, row in named if name not in free)
