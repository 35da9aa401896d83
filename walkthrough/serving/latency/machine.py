"""One machine that serves requests in time, step after step.

A request is admitted, first come, first served, when there is room for all the tokens that it
will ever have: so nobody is preempted. The token behind its prompt comes at the end of the
step that computes the last of the prompt, each further one at the end of a decode step. All
that decode get a token in each decode step, so a step is followed as sums, not one by one.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable

from walkthrough.serving.latency.clock import StepClock
from walkthrough.serving.latency.served import MachineLog, ServedRequest, StepPolicy

MOST_RUNNING = 256  # requests at a time
MANY_GAPS = 50_000  # from here on, those that differ by less than a microsecond are one


class ServingMachine:
    """The queue, the running requests, and the loop over steps."""

    def __init__(
        self,
        clock: StepClock,
        policy: StepPolicy,
        *,
        prefill_only: bool = False,
        most_running: int = MOST_RUNNING,
        advance: Callable[[], None] = lambda: None,
    ) -> None:
        self.clock, self.policy, self.advance = clock, policy, advance
        self.prefill_only, self.most_running = prefill_only, most_running
        self.free, self.log, self.now = clock.capacity, MachineLog(), 0.0
        self._waiting: deque[ServedRequest] = deque()
        self._partial: deque[ServedRequest] = deque()  # admitted, their prompts not yet computed
        self._decoding, self._context = 0, 0  # requests, and the keys that they will attend to
        self._ends: list[
            tuple[int, int, ServedRequest]
        ] = []  # by the decode step that is their last
        self._decode_steps, self._last_decode = 0, 0.0
        self._joined: list[float] = []  # when those got a token who have joined since
        self._order = itertools.count()
        self._decode_is_due = False
        self._next_ready = math.inf

    def serve(self, requests: Iterable[ServedRequest]) -> MachineLog:
        """Serve all, in the order in which they are ready."""
        coming = deque(sorted(requests, key=lambda request: request.ready))
        while coming or self._waiting or self._partial or self._decoding:
            while coming and coming[0].ready <= self.now:
                request = coming.popleft()
                if self._size(request) > self.clock.capacity:
                    self.log.refused += 1
                    self.advance()
                else:
                    self._waiting.append(request)
            self._next_ready = coming[0].ready if coming else math.inf
            if not self._step():
                if not coming:  # refused ones were the last
                    break
                self.now = self._next_ready
        if len(self.log.gaps) > MANY_GAPS:
            self.log.round_gaps()
        return self.log

    def _size(self, request: ServedRequest) -> int:
        lengths = request.lengths
        return lengths.prompt if self.prefill_only else lengths.prompt + lengths.output

    def _admit(self) -> ServedRequest | None:
        """The next in the queue, if there is room."""
        running = self._decoding + len(self._partial)
        if not self._waiting or running >= self.most_running:
            return None
        size = self._size(self._waiting[0])
        if size > self.free:
            return None
        self.free -= size
        return self._waiting.popleft()

    def _step(self) -> bool:
        """One step; False where there is nothing to do."""
        while self._waiting and self._waiting[0].computed:  # their K and V came over a link
            if (request := self._admit()) is None:
                break
            self._join(request)
        due = self._decode_is_due and self._decoding
        prompts = [] if due else self._prompts()
        if not prompts:
            return self._decode_alone()
        start, decodes = self.now, self._decoding if self.policy.mixed else 0
        fed = chosen = decodes
        pairs = read = self._context if decodes else 0
        for request, n in prompts:
            before = request.computed
            if not before:
                request.prefill_start = start
            fed, pairs, read = fed + n, pairs + n * before + n * (n + 1) // 2, read + before + n
            request.computed = before + n
            chosen += request.computed == request.lengths.prompt
        self.now = start + self.clock.seconds(fed, chosen, pairs, read)
        self.log.spans.append((start, self.now, "mixed" if decodes else "prefill"))
        if decodes:
            self._got_tokens()
            self._let_go()
        for request, _ in prompts:
            if request.computed == request.lengths.prompt:
                request.first_token = self.now
                self._join(request)
        self._decode_is_due = self.policy.in_turns
        return True

    def _decode_alone(self) -> bool:
        """Decode steps until a request ends or comes: nothing else can change till then.

        False where nobody decodes.
        """
        b = self._decoding
        if not b:
            return False
        p, q, r, s = self.clock.decode_line(b)
        steps = 1 if self._decode_is_due else self._ends[0][0] - self._decode_steps
        self._decode_is_due = False
        start = self.now
        self.now += max(p + q * self._context, r + s * self._context)
        self._got_tokens()
        now, context, seconds, done = self.now, self._context, 0.0, 1
        gaps, until = self.log.gaps, self._next_ready
        while done < steps and now < until:
            seconds = max(p + q * context, r + s * context)
            now += seconds
            context += b
            done += 1
            gaps.append((seconds, b))
        if seconds > self.log.longest[0]:  # each is longer than the one before
            self.log.longest = (seconds, now)
        self.now = self._last_decode = now
        self._context = context
        self._decode_steps += done - 1
        self._let_go()
        self.log.spans.append((start, now, "decode"))
        return True

    def _prompts(self) -> list[tuple[ServedRequest, int]]:
        """The prompts of the next step, and how many tokens of each."""
        room = self.policy.budget - (self._decoding if self.policy.mixed else 0)
        taken: list[tuple[ServedRequest, int]] = []
        while (self._partial or self._waiting) and not (self.policy.split and room <= 0):
            request = self._partial[0] if self._partial else self._waiting[0]
            left = request.lengths.prompt - request.computed
            if not left or (not self.policy.split and taken and left > room):
                break
            if self._partial:
                self._partial.popleft()
            elif len(taken) + self._decoding >= self.most_running or self._admit() is None:
                break
            n = min(left, room) if self.policy.split else left
            taken.append((request, n))
            room -= n
            if n < left:  # the budget is used up
                self._partial.appendleft(request)
        return taken

    def _got_tokens(self) -> None:
        """Every request that decodes has got a token now."""
        self._decode_steps += 1
        earlier = self._decoding - len(self._joined)
        if earlier:
            self._gap(self.now - self._last_decode, earlier)
        for since in self._joined:
            self._gap(self.now - since, 1)
        self._joined.clear()
        self._last_decode = self.now
        self._context += self._decoding

    def _let_go(self) -> None:
        """Those that have all their tokens leave."""
        while self._ends and self._ends[0][0] == self._decode_steps:
            _, _, request = heapq.heappop(self._ends)
            self._decoding -= 1
            self._context -= request.lengths.prompt + request.lengths.output
            self._finish(request)

    def _gap(self, seconds: float, count: int) -> None:
        self.log.gaps.append((seconds, count))
        if seconds > self.log.longest[0]:
            self.log.longest = (seconds, self.now)

    def _join(self, request: ServedRequest) -> None:
        """It has its first token: decode from now on, or be done."""
        more = 0 if self.prefill_only else request.lengths.output - 1
        if not more:
            self._finish(request)
            return
        self._decoding += 1
        self._context += request.lengths.prompt + 1
        self._joined.append(request.first_token)
        last = self._decode_steps + more
        heapq.heappush(self._ends, (last, next(self._order), request))

    def _finish(self, request: ServedRequest) -> None:
        self.free += self._size(request)
        request.finished = self.now
        if not self.prefill_only or request.lengths.output == 1:
            self.advance()
