"""Many requests over one memory: whose lengths, which policy, and where the memory went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.serving import sharing as sharing
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

_HOMES = {
    "memory": (
        "ContiguousMemory",
        "POLICIES",
        "PagedMemory",
        "Running",
    ),
    "queue": (
        "Outcome",
        "serve_queue",
    ),
    "traces": (
        "Trace",
        "TraceError",
        "read_trace",
    ),
    "workloads": (
        "Lengths",
        "WORKLOADS",
        "Workload",
    ),
}
__getattr__, __dir__, __all__ = lazy_names(__name__, _HOMES, modules=("sharing",))
