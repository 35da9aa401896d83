"""A request on its way through, the rules it is served by, and what a machine writes down."""

from __future__ import annotations

from dataclasses import dataclass, field

from walkthrough.serving.workloads import Lengths

NEVER = -1.0


@dataclass(frozen=True)
class StepPolicy:
    """What a step is made of."""

    name: str
    budget: int  # tokens of a step that has prompts in it; a whole prompt may exceed it
    mixed: bool  # prompts and decodes together in a step
    split: bool  # a prompt may be cut where the budget ends

    @property
    def in_turns(self) -> bool:
        """Whether a decode step comes behind each step of prompts: chunks that are not mixed."""
        return self.split and not self.mixed


@dataclass(eq=False, slots=True)
class ServedRequest:
    """A request and what became of it, in seconds."""

    lengths: Lengths
    ready: float  # when this machine can have it: it has arrived, or its K and V have
    computed: int = 0  # tokens of the prompt
    prefill_start: float = NEVER  # of the step that computes its first tokens
    first_token: float = NEVER
    finished: float = NEVER

    @property
    def arrival(self) -> float:
        """When it came."""
        assert self.lengths.arrival is not None
        return self.lengths.arrival

    @property
    def ttft(self) -> float:
        """Time to first token, from arrival on."""
        return self.first_token - self.arrival

    @property
    def tpot(self) -> float:
        """Time per output token behind the first, a mean; 0 where there is only one."""
        more = self.lengths.output - 1
        return (self.finished - self.first_token) / more if more else 0.0


@dataclass
class MachineLog:
    """What one machine did."""

    spans: list[tuple[float, float, str]] = field(default_factory=list)  # prefill, decode, mixed
    gaps: list[tuple[float, int]] = field(
        default_factory=list
    )  # seconds, and how many times; very many are rounded
    longest: tuple[float, float] = (0.0, 0.0)  # the longest gap, and when it ended
    refused: int = 0  # requests that would not fit alone

    def round_gaps(self) -> None:
        """Round gaps to the microsecond, and keep those that are equal then as one."""
        counts: dict[float, int] = {}
        for seconds, count in self.gaps:
            rounded = round(seconds, 6)
            counts[rounded] = counts.get(rounded, 0) + count
        self.gaps = list(counts.items())
