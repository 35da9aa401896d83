"""A workload under a policy, on one machine or several, or with prefill and decode apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from walkthrough.serving.latency.clock import StepClock
from walkthrough.serving.latency.machine import ServingMachine
from walkthrough.serving.latency.served import NEVER, MachineLog, ServedRequest, StepPolicy
from walkthrough.serving.workloads import Lengths

PROMPT_TOKENS = 2048  # in a step of whole prompts; a longer prompt goes alone
POLICY_NAMES = ("prefill-first", "whole", "chunked", "disaggregated")


@dataclass
class LatencyOutcome:
    """All requests that were served, and the logs of the machines."""

    served: list[ServedRequest]
    machines: list[MachineLog]
    transfers: list[float] = field(default_factory=list)  # seconds from prefill's end to K/V's

    @property
    def gaps(self) -> list[tuple[float, int]]:
        """Gaps between a request's tokens, and how many requests waited so long."""
        return [gap for log in self.machines for gap in log.gaps]

    @property
    def refused(self) -> int:
        """Requests that would not fit alone."""
        return sum(log.refused for log in self.machines)

    @property
    def seconds(self) -> float:
        """From the first arrival to the last token."""
        arrivals = [request.arrival for request in self.served]
        ends = [request.finished for request in self.served]
        return max(ends) - min(arrivals) if ends else 0.0


def policy(name: str, budget: int = 512, prompt_tokens: int = PROMPT_TOKENS) -> StepPolicy:
    """The policies of one machine by name; `chunks alone` are chunks that nothing rides along."""
    kinds = {
        "prefill-first": StepPolicy(name, prompt_tokens, mixed=False, split=False),
        "whole": StepPolicy(name, prompt_tokens, mixed=True, split=False),
        "chunked": StepPolicy(name, budget, mixed=True, split=True),
        "chunks alone": StepPolicy(name, budget, mixed=False, split=True),
    }
    if name not in kinds:
        raise ValueError(f"unknown policy {name!r}; known: {', '.join(kinds)}")
    return kinds[name]


def serve_together(
    requests: Sequence[Lengths],
    clock: StepClock,
    policy: StepPolicy,
    machines: int = 1,
    advance: Callable[[], None] = lambda: None,
) -> LatencyOutcome:
    """Prefill and decode on the same machine; several machines get the requests in turn."""
    jobs = _jobs(requests)
    logs = [
        ServingMachine(clock, policy, advance=advance).serve(jobs[i::machines])
        for i in range(machines)
    ]
    return LatencyOutcome([job for job in jobs if job.finished >= 0], logs)


def serve_apart(
    requests: Sequence[Lengths],
    clock: StepClock,
    link: float,
    machines: tuple[int, int] = (1, 1),
    *,
    by_layer: bool = True,
    prompt_tokens: int = PROMPT_TOKENS,
    advance: Callable[[], None] = lambda: None,
) -> LatencyOutcome:
    """Some `machines` compute prompts and first tokens, others all further tokens.

    From each of the first, the K and V of a prompt go over a link of `link` bytes a second, one
    prompt after another: when its prefill is done, or `by_layer`, each layer as soon as it is
    computed. A prompt's memory there is free when its prefill is done: kinder than the truth.
    """
    jobs = _jobs(requests)
    whole = policy("prefill-first", prompt_tokens=prompt_tokens)
    logs, transfers, sent = [], list[float](), list[ServedRequest]()
    for i in range(machines[0]):
        first = ServingMachine(clock, whole, prefill_only=True, advance=advance)
        logs.append(first.serve(jobs[i :: machines[0]]))
        done = [j for j in jobs[i :: machines[0]] if j.finished >= 0 and j.lengths.output > 1]
        transfers += send(done, clock, link, by_layer=by_layer)
        sent += done
    sent.sort(key=lambda job: job.ready)
    logs += [
        ServingMachine(clock, whole, advance=advance).serve(sent[i :: machines[1]])
        for i in range(machines[1])
    ]
    return LatencyOutcome([job for job in jobs if job.finished >= 0], logs, transfers)


def send(
    jobs: Sequence[ServedRequest], clock: StepClock, link: float, *, by_layer: bool
) -> list[float]:
    """Say when each prompt's K and V are on the other side; returns what is left to wait for.

    On a free link that is `transfer.visible_transfer`.
    """
    geometry = clock.shape.geometry
    free, left = 0.0, []
    for job in sorted(jobs, key=lambda job: (job.first_token, job.arrival)):
        seconds = geometry.cache_bytes(job.lengths.prompt) / link
        done = job.first_token
        if by_layer:
            a_layer = (done - job.prefill_start) / geometry.layers
            free = max(free, job.prefill_start + a_layer) + seconds
            free = max(free, done + seconds / geometry.layers)
        else:
            free = max(free, done) + seconds
        job.ready, job.finished = free, NEVER
        left.append(free - done)
    return left


def _jobs(requests: Sequence[Lengths]) -> list[ServedRequest]:
    jobs = []
    for request in requests:
        if request.arrival is None:
            raise ValueError("a request without a time of arrival cannot be served in time")
        jobs.append(ServedRequest(request, request.arrival))
    return jobs
