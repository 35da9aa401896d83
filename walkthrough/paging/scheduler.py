"""Who computes what in the next step: continuous batching under a token budget.

First come, first served. Each step gives running requests the tokens they are missing, one
while decoding, a chunk of the prompt while prefilling, and then admits waiting ones. Where
blocks run out, the youngest running request is preempted: its blocks go back, and it waits
to be computed again, or is swapped to a second pool and comes back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field

from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Copy, Sequence
from walkthrough.paging.swap import Swapped, swap_in, swap_out
from walkthrough.paging.token_ids import check_token_ids


class RequestTooLongError(Exception):
    """A request that would not fit even if it had the whole pool to itself."""

    def __init__(self, name: str, tokens: int, needed: int, block_size: int, total: int) -> None:
        self.needed, self.total = needed, total
        super().__init__(
            f"{name}: up to {tokens} tokens need {needed} blocks of {block_size}, "
            f"the pool has {total}"
        )


@dataclass(eq=False)
class Request:
    """A prompt, what has been generated behind it, and where its rows are."""

    name: str
    prompt: tuple[int, ...]
    max_new_tokens: int
    token_ids: list[int] = field(init=False)  # all tokens known so far
    sequence: Sequence | None = None  # while running
    swapped: Swapped | None = None  # while swapped out
    arrival: int = 0
    times_preempted: int = 0

    def __post_init__(self) -> None:
        self.token_ids = list(self.prompt)

    @property
    def output(self) -> list[int]:
        """The tokens behind the prompt."""
        return self.token_ids[len(self.prompt) :]


@dataclass
class SchedulerOutput:
    """What to do, in this order: swap out, swap in, and then feed each request."""

    swap_out: list[Copy] = field(default_factory=list)  # (pool, host)
    swap_in: list[Copy] = field(default_factory=list)  # (host, pool)
    feed: list[tuple[Request, list[int]]] = field(default_factory=list)
    preempted: list[Request] = field(default_factory=list)
    num_tokens: int = 0  # that are computed in this step

    def add(self, request: Request, token_ids: list[int]) -> None:
        """Feed these tokens of a request."""
        self.feed.append((request, token_ids))
        self.num_tokens += len(token_ids)


class Scheduler:
    """Requests over one pool; with a `host` pool, preempted ones are swapped to it.

    `vocabulary` is how many token ids there are; None: not known before a model serves.
    """

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        *,
        token_budget: int,
        max_running: int = 256,
        prefix_cache: PrefixCache | None = None,
        host: BlockPool | None = None,
        vocabulary: int | None = None,
    ) -> None:
        for name, value in (("token_budget", token_budget), ("max_running", max_running)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        self.pool, self.block_size, self.host = pool, block_size, host
        self.token_budget, self.max_running = token_budget, max_running
        self.prefix_cache, self.vocabulary = prefix_cache, vocabulary
        self.waiting: list[Request] = []  # both lists stay in order of arrival
        self.running: list[Request] = []
        self.finished: list[Request] = []
        self._arrivals = 0

    def submit(self, name: str, prompt: SequenceOf[int], max_new_tokens: int) -> Request:
        """Queue a request. One that can never fit raises `RequestTooLongError`, with the sizes.

        One with a token id that there is not raises ValueError. Nothing is queued then.
        """
        if not prompt or max_new_tokens < 1:
            raise ValueError(f"{name}: needs a prompt and at least 1 new token")
        self._check_tokens(name, prompt)
        longest = len(prompt) + max_new_tokens - 1  # the last new token is never fed
        needed, total = -(-longest // self.block_size), self.pool.num_blocks - 1
        if needed > total:
            raise RequestTooLongError(name, longest, needed, self.block_size, total)
        self._arrivals += 1
        request = Request(name, tuple(prompt), max_new_tokens, arrival=self._arrivals)
        self.waiting.append(request)
        return request

    def set_vocabulary(self, vocabulary: int) -> None:
        """Say how many token ids there are.

        Where requests that wait have others, they wait no longer, the others do: ValueError.
        """
        self.vocabulary = vocabulary
        refusals: list[ValueError] = []
        for request in list(self.waiting):
            try:
                self._check_tokens(request.name, request.prompt)
            except ValueError as error:
                self.waiting.remove(request)
                refusals.append(error)
        if refusals:
            raise refusals[0]

    def schedule(self) -> SchedulerOutput:
        """Decide the next step and take the blocks for it."""
        step = SchedulerOutput()
        place = 0
        while place < len(self.running) and step.num_tokens < self.token_budget:  # oldest first
            self._feed_running(self.running[place], step)  # may preempt the youngest
            place += 1
        while (
            self.waiting
            and not step.preempted  # blocks are short: nobody new
            and len(self.running) < self.max_running
            and step.num_tokens < self.token_budget
            and self._admit(self.waiting[0], step)
        ):
            pass
        return step

    def advance(self, request: Request, token: int | None, *, done: bool = False) -> None:
        """Report a fed request: the token chosen after its last one, None within the prompt."""
        if token is None:
            return
        request.token_ids.append(token)
        if done or len(request.token_ids) == len(request.prompt) + request.max_new_tokens:
            assert request.sequence is not None
            request.sequence.free()
            request.sequence = None
            self.running.remove(request)
            self.finished.append(request)

    def _check_tokens(self, name: str, token_ids: SequenceOf[int]) -> None:
        try:
            check_token_ids(token_ids, self.vocabulary)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error

    def _missing(self, request: Request, computed: int, step: SchedulerOutput) -> list[int]:
        """Tokens to feed next: those behind the computed ones, as many as the budget has left."""
        room = self.token_budget - step.num_tokens
        return request.token_ids[computed : computed + room]

    def _feed_running(self, request: Request, step: SchedulerOutput) -> None:
        sequence = request.sequence
        assert sequence is not None
        tokens = self._missing(request, len(sequence), step)
        while True:
            try:
                sequence.append(tokens)  # only whole blocks are shared here: nothing to copy
            except OutOfBlocksError:
                youngest = self.running[-1]
                self._preempt(youngest, step)
                if youngest is request:
                    return
            else:
                step.add(request, tokens)
                return

    def _admit(self, request: Request, step: SchedulerOutput) -> bool:
        """Start a waiting request, or bring it back; False where it has to wait on."""
        sequence = Sequence(self.pool, self.block_size, self.prefix_cache)
        try:
            if request.swapped is None:
                sequence.reuse_prefix(request.token_ids)
                tokens = self._missing(request, len(sequence), step)
            else:
                assert self.host is not None
                computed = len(request.swapped.token_ids)
                tokens = self._missing(request, computed, step)
                self.pool.check_free(-(-(computed + len(tokens)) // self.block_size))
                step.swap_in += swap_in(request.swapped, sequence, self.host)
                request.swapped = None
            sequence.append(tokens)
        except OutOfBlocksError:
            return False  # each of the three changes nothing where it fails
        request.sequence = sequence
        self.waiting.remove(request)
        self.running.append(request)
        step.add(request, tokens)
        return True

    def _preempt(self, request: Request, step: SchedulerOutput) -> None:
        assert request.sequence is not None
        if self.host is not None:
            try:
                request.swapped, copies = swap_out(request.sequence, self.host)
                step.swap_out += copies
            except OutOfBlocksError:
                request.sequence.free()  # no room there either: compute it again later
        else:
            request.sequence.free()
        request.sequence = None
        request.times_preempted += 1
        step.preempted.append(request)
        self.running.remove(request)
        self.waiting.append(request)
        self.waiting.sort(key=lambda waiting: waiting.arrival)
