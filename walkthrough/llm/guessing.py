"""A real model that guesses ahead: what comes, how many guesses stood, and what that saved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.display.table import Table
from walkthrough.llm.generation import Asked, Clock, Run, Stream
from walkthrough.llm.rounded import storage_for
from walkthrough.llm.threads import Threaded
from walkthrough.llm.words import GENERATION
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.speculative import SpeculativeSequence
from walkthrough.reference.paged import GatheredCache
from walkthrough.reference.sampling import probabilities
from walkthrough.reference.speculative.acceptance import Draw, certain, chance
from walkthrough.reference.speculative.decoding import SpeculativeStep, speculate
from walkthrough.reference.speculative.drafts import (
    Draft,
    LawOf,
    ModelDraft,
    PromptLookup,
    fewer_layers,
    likeliest,
)

if TYPE_CHECKING:
    from walkthrough.llm.llama import Llama
    from walkthrough.llm.loading import LanguageModelFile

GUESSES = {"lookup": 7, "layers": 3}  # in a run, unless another number is asked for
SHARE = 3  # `layers` is the first third of the model's layers


def paged_cache(model: Llama, block_size: int, length: int) -> GatheredCache:
    """A cache of a pool of its own, for a sequence up to this length."""
    num_blocks = -(-length // block_size) + 1
    storage = storage_for(model, num_blocks, block_size)
    return GatheredCache(storage, SpeculativeSequence(BlockPool(num_blocks), block_size))


def make_draft(model: Llama, asked: Asked, length: int) -> Draft:
    """The draft asked for, for a text up to this length."""
    if asked.draft == "lookup":
        return PromptLookup(model.vocabulary)
    small = fewer_layers(model, range(-(-len(model.layers) // SHARE)))
    cache = paged_cache(small, asked.block_size, length)
    return ModelDraft(Threaded(small, asked.threads), cache)


@dataclass
class GuessTally:
    """Counts what became of the guesses."""

    runs: int = 0
    guessed: int = 0
    accepted: int = 0
    tokens: int = 0
    seconds: list[float] = field(default_factory=list)  # of each run
    later: int = 0  # tokens of all runs but the first

    def add(self, step: SpeculativeStep, seconds: float) -> None:
        """Take a run down."""
        self.later += len(step.tokens) if self.runs else 0
        self.runs += 1
        self.guessed += len(step.guesses)
        self.accepted += step.accepted
        self.tokens += len(step.tokens)
        self.seconds.append(seconds)

    @property
    def per_token(self) -> float:
        """Seconds of a token behind the first run, its guesses among them."""
        return sum(self.seconds[1:]) / self.later if self.later else self.seconds[0]

    def table(self, language: str) -> Table:
        """All of it, in a language."""
        words = GENERATION[language]
        rows: dict[str, float] = {
            words["guessed"]: self.guessed,
            words["accepted"]: self.accepted,
            words["a run"]: self.tokens / self.runs,
            words["a token"]: 1000 * self.per_token,
        }
        return Table(words["guesses"], [[v] for v in rows.values()], rows=list(rows))


def guessing_steps(
    file: LanguageModelFile, asked: Asked, cache: GatheredCache, tally: GuessTally
) -> Iterator[SpeculativeStep]:
    """Continue the only prompt with guesses, each run counted in the tally."""
    (prompt,) = asked.prompts
    ids = file.ids(prompt)
    law_of: LawOf = likeliest
    draw: Draw = certain
    if asked.temperature:
        law_of = partial(probabilities, temperature=asked.temperature, top_p=asked.top_p)
        draw = chance(np.random.default_rng([asked.seed, 0]))
    steps = speculate(
        Threaded(file.model, asked.threads),
        ids,
        cache,
        make_draft(file.model, asked, len(ids) + asked.max_new_tokens),
        asked.max_new_tokens,
        ahead=asked.guesses or GUESSES[asked.draft or "lookup"],
        law_of=law_of,
        draw=draw,
    )
    start = time.perf_counter()
    for step in steps:
        tally.add(step, time.perf_counter() - start)
        yield step
        start = time.perf_counter()


class GuessingRun(Run):
    """One prompt, continued with the guesses of a draft."""

    def answer(self) -> None:
        """Generate, showing what comes, and then report."""
        asked, (prompt,) = self.asked, self.prompts
        cache = GatheredCache(self.storage, SpeculativeSequence(self.pool, asked.block_size))
        stream, tally, tokens = Stream(self.file, self.screen), GuessTally(), list[int]()
        self.screen.write(asked.prompts[0])
        self.clock = Clock()
        for step in guessing_steps(self.file, asked, cache, tally):
            self.clock.step()
            self.computed += len(step.fed) + len(step.guesses)
            tokens += step.tokens
            stream.show(tokens)
        self.screen.write("\n\n")
        self._report([len(prompt) + asked.max_new_tokens])
        self.screen.text()
        self.screen.table(tally.table(self.language))
