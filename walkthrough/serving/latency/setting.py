"""All that a simulation in time is given, and what runs it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from walkthrough.reference.speed.machines import LINKS, MACHINES, machine
from walkthrough.reference.speed.shapes import SHAPES
from walkthrough.serving.latency.arrivals import QUANTILE_WORKLOADS, own_times, poisson
from walkthrough.serving.latency.clock import EFFICIENCY, HOST_SECONDS, StepClock
from walkthrough.serving.latency.figures import Limits
from walkthrough.serving.latency.policies import (
    POLICY_NAMES,
    LatencyOutcome,
    policy,
    serve_apart,
    serve_together,
)
from walkthrough.serving.traces import Trace
from walkthrough.serving.workloads import WORKLOADS, Lengths

RATE, REQUESTS, LONGEST = 5.0, 1000, 8192  # of what is drawn
USUAL_LIMITS = Limits(ttft=1.0, tpot=0.05)
ALL_WORKLOADS = WORKLOADS | QUANTILE_WORKLOADS


class LatencySettingError(Exception):
    """What cannot be simulated. `kind` names what is wrong, `fields` what and where."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class LatencySetting:
    """Machines, and how they are used."""

    model: str = "llama3-8b"
    machine: str = "a100"
    machines: int = 2
    prefill_machines: int = 1  # of these, when prefill and decode are apart
    budget: int = 512
    link: str = "400g"
    by_layer: bool = True
    efficiency: float = EFFICIENCY
    host: float = HOST_SECONDS
    limits: Limits = USUAL_LIMITS

    def clock(self) -> StepClock:
        """The clock of one machine; LatencySettingError where the model does not fit, say."""
        try:
            found = machine(self.machine)
        except ValueError as error:
            known = ", ".join(MACHINES)
            raise LatencySettingError(
                "unknown-machine", name=self.machine[:20], known=known
            ) from error
        clock = StepClock(SHAPES[self.model], found, self.efficiency, self.host)
        if not clock.capacity:
            weights = 2e-9 * clock.shape.parameters
            raise LatencySettingError(
                "heavy", model=self.model, weights=weights, machine=found.name
            )
        if self.machines > 1 and self.prefill_machines >= self.machines:
            raise LatencySettingError("few")
        return clock

    @property
    def names(self) -> list[str]:
        """The policies that can be compared: apart takes two machines."""
        return [name for name in POLICY_NAMES if self.machines > 1 or name != "disaggregated"]

    def serve(
        self,
        name: str,
        requests: Sequence[Lengths],
        advance: Callable[[], None] = lambda: None,
    ) -> LatencyOutcome:
        """Serve the requests under one policy."""
        clock = self.clock()
        if name == "disaggregated":
            machines = self.prefill_machines, self.machines - self.prefill_machines
            link, by_layer = LINKS[self.link], self.by_layer
            return serve_apart(requests, clock, link, machines, by_layer=by_layer, advance=advance)
        way = policy(name, self.budget)
        return serve_together(requests, clock, way, self.machines, advance)


@dataclass(frozen=True)
class Source:
    """Where requests come from: a workload that is drawn, or a trace with times of its own."""

    workload: str = "openchat"
    trace: Trace | None = None
    count: int | None = None
    longest: int | None = None  # tokens of a request
    seed: int = 0

    def requests(self, rate: float | None, capacity: int) -> list[Lengths]:
        """The requests, with times of arrival; drawn ones have the same lengths at every rate.

        Raises LatencySettingError where there are none, or none that the memory (`capacity`) holds.
        """
        if self.trace is not None:
            longest = self.longest or math.inf
            fit = [r for r in self.trace.requests if r.prompt + r.output <= longest]
            if not fit:
                raise LatencySettingError("long", longest=self.longest)
            found = own_times(fit[: self.count], rate)
            if not found:
                raise LatencySettingError("timeless")
            if all(r.prompt + r.output > capacity for r in found):
                raise LatencySettingError("none")
            return found
        if self.workload not in ALL_WORKLOADS:
            raise LatencySettingError("unknown", name=self.workload, known=", ".join(ALL_WORKLOADS))
        rng = random.Random(self.seed)
        longest = min(self.longest or LONGEST, capacity)
        try:
            drawn = ALL_WORKLOADS[self.workload].draw(self.count or REQUESTS, rng, longest)
        except ValueError as error:
            raise LatencySettingError("long", longest=longest) from error
        return poisson(drawn, rate or RATE, rng)

    @property
    def untimed(self) -> int:
        """Requests of a trace whose times of arrival cannot be read."""
        return sum(r.arrival is None for r in self.trace.requests) if self.trace else 0
