"""How long a step takes on a machine: its roofline, an efficiency, and the host's time.

Only the roofline is computed. That kernels reach a share of it (`efficiency`), and that each
step costs the host some time (`host`), are assumptions; measured on single GPUs with good
kernels, steps take 1.25 to 1.45 times the roofline, and around 2 ms are launches and host.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from walkthrough.reference.speed.machines import Machine
from walkthrough.reference.speed.roofline import StepLoad, step_cost, token_capacity
from walkthrough.reference.speed.shapes import ModelShape

EFFICIENCY, HOST_SECONDS = 0.7, 0.002


@dataclass(frozen=True)
class StepClock:
    """Seconds of a step from its load: `roofline.step_time`, made quick.

    A step's FLOPs and bytes are linear in its load, so a few prices say it all.
    """

    shape: ModelShape
    machine: Machine
    efficiency: float = EFFICIENCY
    host: float = HOST_SECONDS

    def __post_init__(self) -> None:
        P = self.machine.flops_per_second * self.efficiency
        BW = self.machine.bytes_per_second * self.efficiency
        nothing = step_cost(self.shape, StepLoad())
        flops, moved = [], []
        for load in (StepLoad(fed=1), StepLoad(chosen=1), StepLoad(pairs=1), StepLoad(kv_read=1)):
            cost = step_cost(self.shape, load)
            flops.append(cost.flops / P)
            moved.append((cost.bytes - nothing.bytes) / BW)
        object.__setattr__(self, "_flops", tuple(flops))
        object.__setattr__(self, "_moved", tuple(moved))
        object.__setattr__(self, "_weights", nothing.bytes / BW)

    def seconds(self, fed: int, chosen: int, pairs: int, kv_read: int) -> float:
        """How long a step with this load takes."""
        a, b, c, _ = self._flops  # type: ignore[attr-defined]
        e, f, _, h = self._moved  # type: ignore[attr-defined]
        computing: float = a * fed + b * chosen + c * pairs
        moving: float = self._weights + e * fed + f * chosen + h * kv_read  # type: ignore[attr-defined]
        return max(computing, moving) + self.host

    def decode_line(self, b: int) -> tuple[float, float, float, float]:
        """A decode step of b requests takes max(p + q · m, r + s · m), m the keys of all: p … s."""
        a, c, pair, _ = self._flops  # type: ignore[attr-defined]
        e, f, _, read = self._moved  # type: ignore[attr-defined]
        moving = self._weights + (e + f) * b + self.host  # type: ignore[attr-defined]
        return (a + c) * b + self.host, pair, moving, read

    @cached_property
    def capacity(self) -> int:
        """Tokens whose K and V fit."""
        return token_capacity(self.shape, self.machine)
