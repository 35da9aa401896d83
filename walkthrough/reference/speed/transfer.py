"""What becomes of a prompt's K and V: read again by later chunks, or sent to another machine."""

from __future__ import annotations

from walkthrough.reference.speed.machines import Machine
from walkthrough.reference.speed.roofline import prefill_load, step_cost, step_time
from walkthrough.reference.speed.shapes import ModelShape


def reread_tokens(n: int, chunk: int) -> int:
    """Tokens whose K and V are read once more because a prompt of n comes in chunks.

    The second chunk reads the first again, the third the first two: chunk · N(N − 1) / 2 for N
    whole chunks.
    """
    if n < 1 or chunk < 1:
        raise ValueError(f"n and chunk must be at least 1, got {n} and {chunk}")
    return sum(range(0, n, chunk))


def visible_transfer(prefill: float, transfer: float, layers: int) -> float:
    """Of a transfer, what still runs when the prefill is done, if each layer is sent at once.

    A layer is computed in p = prefill / layers and sent in x = transfer / layers: where the
    link keeps up, the last layer alone is left, x; else layers · x − (layers − 1) · p.
    """
    p, x = prefill / layers, transfer / layers
    return x if x <= p else layers * x - (layers - 1) * p


def kv_per_prefill_second(shape: ModelShape, machine: Machine, n: int) -> float:
    """Bytes of K and V that a second of prefilling prompts of n tokens makes, at most.

    A slower link falls behind whatever is overlapped. Near k · (FLOP/s) / (2 · parameters).
    """
    seconds = step_time(step_cost(shape, prefill_load(n)), machine)
    return n * shape.geometry.bytes_per_token() / seconds
