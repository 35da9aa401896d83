"""A real model's answers as they come, and where the memory went."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.display.screen import Screen
from walkthrough.display.table import Table
from walkthrough.llm.rounded import bytes_per_token, storage_for
from walkthrough.llm.threads import Threaded
from walkthrough.llm.words import GENERATION
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.events import Event
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.scheduler import RequestTooLongError, Scheduler
from walkthrough.paging.sequence import Sequence as TokenSequence
from walkthrough.reference.decoding import Continuation, beam_search, parallel_sampling
from walkthrough.reference.engine import most_likely, serve
from walkthrough.reference.paged import GatheredCache
from walkthrough.reference.sampling import sample_token

if TYPE_CHECKING:
    from walkthrough.llm.loading import LanguageModelFile
    from walkthrough.reference.work import Array


@dataclass(frozen=True)
class Asked:
    """What a run is to do."""

    prompts: tuple[str, ...]
    max_new_tokens: int = 40
    temperature: float = 0.0  # 0: always the likeliest token
    top_p: float = 1.0
    seed: int = 0
    n: int = 1  # parallel samples of one prompt
    beam: int = 1  # beams of one prompt
    block_size: int = 16
    blocks: int | None = None  # None: as many as the run can need
    token_budget: int = 512  # tokens of one step
    threads: int | None = None  # for products with many rows
    draft: str | None = None  # guess ahead: by `lookup`, or by the first `layers`
    guesses: int | None = None  # in a run; None: what suits the draft
    kv_bits: int | None = None  # of each number of K and V; None: the model's own dtype


class AskedError(Exception):
    """What is asked for is too much for the model or the pool: `kind` and `fields` say how."""

    def __init__(self, kind: str, **fields: int) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


def check_lengths(file: LanguageModelFile, asked: Asked) -> None:
    """Raise AskedError where prompt and answer are longer than the model has learned."""
    context, new = file.model.context_length, asked.max_new_tokens
    for i, prompt in enumerate(asked.prompts, start=1):
        if (tokens := len(file.ids(prompt))) + new > context:
            raise AskedError("context", number=i, prompt=tokens, new=new, context=context)


def pool_too_small(error: OutOfBlocksError | RequestTooLongError) -> AskedError:
    """The same as it is said of a run: how many blocks it would take."""
    if isinstance(error, RequestTooLongError):
        needed = error.needed
    else:  # what was in use at that moment, and what was asked for then
        needed = error.total - error.free + error.asked
    return AskedError("pool", needed=needed, blocks=error.total)


@dataclass
class Tally:
    """Counts what happens to a pool's blocks; listens to it from when it is made."""

    pool: BlockPool
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    peak: int = 0  # blocks in use at the most

    def __post_init__(self) -> None:
        self.pool.listeners.append(self)

    def __call__(self, event: Event) -> None:
        """Take an event down."""
        self.counts[event.kind] += 1
        self.peak = max(self.peak, self.pool.num_used_blocks)


@dataclass
class Clock:
    """The times of a run's steps, from when it is made."""

    start: float = field(default_factory=time.perf_counter)
    ends: list[float] = field(default_factory=list)

    def step(self) -> None:
        """A step is done."""
        self.ends.append(time.perf_counter())

    @property
    def first(self) -> float:
        """Seconds to the end of the first step."""
        return self.ends[0] - self.start

    @property
    def rest(self) -> list[float]:
        """Seconds of each later step."""
        return np.diff(self.ends).tolist()


class Run:
    """One run of a model over a pool of blocks."""

    def __init__(self, file: LanguageModelFile, asked: Asked, screen: Screen, language: str):
        self.file, self.asked, self.screen = file, asked, screen
        self.words, self.language = GENERATION[language], language
        self.prompts = [file.ids(prompt) for prompt in asked.prompts]
        size = asked.block_size
        sequences = max(asked.n, asked.beam)
        longest = [-(-(len(ids) + asked.max_new_tokens) // size) for ids in self.prompts]
        # Each step of a beam search forks before it frees: for a moment both sides are in use.
        needed = sum(longest) * sequences + 2 * sequences
        self.pool = BlockPool((asked.blocks or needed) + 1)
        self.storage = storage_for(file.model, self.pool.num_blocks, size, asked.kv_bits)
        self.tally, self.clock = Tally(self.pool), Clock()
        self.model = Threaded(file.model, asked.threads)
        self.found = self.preempted = self.computed = 0  # tokens, times, tokens

    def answer(self) -> None:
        """Generate, showing what comes, and then report."""
        if self.asked.n > 1 or self.asked.beam > 1:
            reserved = self._continue_one()
        else:
            reserved = self._serve_all()
        self._report(reserved)

    def _serve_all(self) -> list[int]:
        """Each prompt a request; returns the length that each would have reserved."""
        asked = self.asked
        scheduler = Scheduler(
            self.pool,
            asked.block_size,
            token_budget=asked.token_budget,
            prefix_cache=PrefixCache(self.pool, asked.block_size),
            vocabulary=self.model.vocabulary,
        )
        requests = [
            scheduler.submit(str(i), prompt, asked.max_new_tokens)
            for i, prompt in enumerate(self.prompts)
        ]
        # A single answer comes token by token; of several, each as soon as it is complete.
        stream = Stream(self.file, self.screen) if len(requests) == 1 else None
        if stream:
            self.screen.write(asked.prompts[0])
        shown = 0
        self.clock = Clock()
        for step in serve(
            self.model, scheduler, self.storage, cache_type=GatheredCache, choose=self._choose()
        ):
            self.clock.step()
            self.computed += step.num_tokens
            self.preempted += len(step.preempted)
            if stream:
                stream.show(requests[0].output)
                continue
            for request in scheduler.finished[shown:]:
                self._show(asked.prompts[int(request.name)], "title", request.output)
            shown = len(scheduler.finished)
        if stream:
            self.screen.write("\n\n")
        self.found = self.tally.counts["shared"] * asked.block_size  # nothing is forked here
        return [len(ids) + asked.max_new_tokens for ids in self.prompts]

    def _show(self, title: str, style: str, token_ids: Iterable[int]) -> None:
        self.screen.text(title, style)
        self.screen.write(self.file.text(token_ids).strip("\n") + "\n\n")
        self.screen.flush()

    def _choose(self) -> Callable[[str, Array], int]:
        asked = self.asked
        if not asked.temperature:
            return most_likely
        # Chance of its own for each request, so that who else is there changes nothing.
        chance = [np.random.default_rng([asked.seed, i]) for i in range(len(self.prompts))]
        return lambda name, logits: sample_token(
            logits, chance[int(name)], asked.temperature, asked.top_p
        )

    def _continue_one(self) -> list[int]:
        """Several continuations of the only prompt."""
        asked, (prompt,) = self.asked, self.prompts
        cache = GatheredCache(self.storage, TokenSequence(self.pool, asked.block_size))
        steps: Iterator[list[Continuation]]
        if asked.beam > 1:
            steps = beam_search(self.model, prompt, cache, asked.beam, asked.max_new_tokens)
        else:
            rng = np.random.default_rng([asked.seed, 0])
            steps = parallel_sampling(
                self.model,
                prompt,
                cache,
                asked.n,
                rng,
                asked.max_new_tokens,
                temperature=asked.temperature or 1.0,
                top_p=asked.top_p,
            )
        self.computed = len(prompt)
        found: list[Continuation] = []
        for found in steps:
            self.clock.step()
            self.computed += sum(not one.done for one in found)
        self.screen.text(asked.prompts[0], "title")
        kind = "beam" if asked.beam > 1 else "sample"
        for i, one in enumerate(found, start=1):
            title = self.words[kind].format(number=i, score=one.log_probability)
            self._show(title, "label", one.tokens)
        return [len(prompt) + asked.max_new_tokens] * len(found)

    def _report(self, reserved: list[int]) -> None:
        words, counts, model = self.words, self.tally.counts, self.file.model
        megabytes = bytes_per_token(model, self.asked.kv_bits) / 1e6
        context = model.context_length
        rows = {
            words["used"]: self.tally.peak,
            words["pool"]: self.pool.num_blocks - 1,
            words["shared"]: counts["shared"],
            words["copied"]: counts["copied"],
            words["hit"]: self.found,
            words["evicted"]: counts["evicted"],
            words["preempted"]: self.preempted,
            words["paged"]: self.tally.peak * self.asked.block_size * megabytes,
            words["reserved"]: sum(reserved) * megabytes,
            words["longest"].format(context=context): len(reserved) * context * megabytes,
        }
        self.screen.table(Table(words["memory"], [[v] for v in rows.values()], rows=list(rows)))
        times: dict[str, float] = {
            words["computed"]: self.computed,
            words["first"]: self.clock.first,
            words["steps"]: len(self.clock.rest),
        }
        if self.clock.rest:
            times[words["step"]] = 1000 * float(np.median(self.clock.rest))
        self.screen.text()
        self.screen.table(Table(words["time"], [[v] for v in times.values()], rows=list(times)))


class Stream:
    """Tokens as text, the moment that they make one: a character may take several."""

    def __init__(self, file: LanguageModelFile, screen: Screen) -> None:
        from tokenizers.decoders import DecodeStream

        self._tokenizer, self._screen = file.tokenizer, screen
        self._stream = DecodeStream(skip_special_tokens=True)

        self._told = 0

    def show(self, token_ids: Sequence[int]) -> None:
        """Write what the tokens that are new since the last time complete."""
        for token in token_ids[self._told :]:
            if piece := self._stream.step(self._tokenizer, token):
                self._screen.write(piece)
        self._told = len(token_ids)
        self._screen.flush()
