"""Many requests: whose lengths, which policy, where the memory went, and when tokens came."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.serving import sharing as sharing
    from walkthrough.serving.latency.arrivals import QUANTILE_WORKLOADS as QUANTILE_WORKLOADS
    from walkthrough.serving.latency.arrivals import QuantileWorkload as QuantileWorkload
    from walkthrough.serving.latency.arrivals import own_times as own_times
    from walkthrough.serving.latency.arrivals import poisson as poisson
    from walkthrough.serving.latency.clock import StepClock as StepClock
    from walkthrough.serving.latency.figures import Limits as Limits
    from walkthrough.serving.latency.figures import attainment as attainment
    from walkthrough.serving.latency.figures import goodput as goodput
    from walkthrough.serving.latency.figures import highest_rate as highest_rate
    from walkthrough.serving.latency.figures import histogram as histogram
    from walkthrough.serving.latency.figures import percentile as percentile
    from walkthrough.serving.latency.figures import weighted_percentiles as weighted_percentiles
    from walkthrough.serving.latency.policies import LatencyOutcome as LatencyOutcome
    from walkthrough.serving.latency.policies import policy as policy
    from walkthrough.serving.latency.policies import send as send
    from walkthrough.serving.latency.policies import serve_apart as serve_apart
    from walkthrough.serving.latency.policies import serve_together as serve_together
    from walkthrough.serving.latency.served import MachineLog as MachineLog
    from walkthrough.serving.latency.served import ServedRequest as ServedRequest
    from walkthrough.serving.latency.served import StepPolicy as StepPolicy
    from walkthrough.serving.latency.setting import LatencySetting as LatencySetting
    from walkthrough.serving.latency.setting import Source as Source
    from walkthrough.serving.latency.tables import lane as lane
    from walkthrough.serving.memory import POLICIES as POLICIES
    from walkthrough.serving.memory import ContiguousMemory as ContiguousMemory
    from walkthrough.serving.memory import PagedMemory as PagedMemory
    from walkthrough.serving.memory import Running as Running
    from walkthrough.serving.queue import Outcome as Outcome
    from walkthrough.serving.queue import serve_queue as serve_queue
    from walkthrough.serving.traces import Trace as Trace
    from walkthrough.serving.traces import TraceError as TraceError
    from walkthrough.serving.traces import read_trace as read_trace
    from walkthrough.serving.workloads import WORKLOADS as WORKLOADS
    from walkthrough.serving.workloads import Lengths as Lengths
    from walkthrough.serving.workloads import Workload as Workload

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
