"""How long a step takes at least: it computes, it reads, and the slower of the two decides.

    time ≥ max(FLOPs / (FLOP/s), bytes / (bytes/s))

Source: Williams, Waterman and Patterson, "Roofline" (2009); per operator in Agrawal et al.,
"Sarathi-Serve" (2024), section 3.1. A lower bound: kernels, launches and the host are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from walkthrough.reference.speed.machines import Machine
from walkthrough.reference.speed.shapes import ModelShape

MEMORY_SHARE = 0.92  # of the memory that weights and K/V may take; vLLM's default


@dataclass(frozen=True)
class StepLoad:
    """What a step is to do, counted in tokens, all its requests together."""

    fed: int = 0  # tokens that go through the linear layers
    chosen: int = 0  # of these, the ones that a next token is chosen behind: rows of logits
    pairs: int = 0  # a query and a key that it attends to, of one head
    kv_read: int = 0  # tokens whose K and V are read, those just written among them

    def __add__(self, other: StepLoad) -> StepLoad:
        return StepLoad(
            self.fed + other.fed,
            self.chosen + other.chosen,
            self.pairs + other.pairs,
            self.kv_read + other.kv_read,
        )


def decode_load(b: int, m: int) -> StepLoad:
    """A token for each of b requests, which attends to m keys, its own among them."""
    return StepLoad(b, b, b * m, b * m)


def prefill_load(n: int, computed: int = 0, *, last: bool = True) -> StepLoad:
    """Feed n tokens of a prompt behind those that are computed; the `last` one gives logits."""
    pairs = n * computed + n * (n + 1) // 2
    return StepLoad(n, int(last), pairs, computed + n)


def verification_load(b: int, m: int, k: int) -> StepLoad:
    """For each of b requests k tokens at once, each with logits; the first attends to m keys.

    A decode step is k = 1. With guesses, k is the token sampled last and the guesses behind it.
    K and V are read once for all k.
    """
    pairs = b * (k * m + k * (k - 1) // 2)
    return StepLoad(b * k, b * k, pairs, b * (m + k - 1))


@dataclass(frozen=True)
class StepCost:
    """FLOPs and bytes of a step."""

    linear_flops: float
    attention_flops: float
    weight_bytes: float
    kv_bytes_read: float
    kv_bytes_written: float
    activation_bytes: float

    @property
    def flops(self) -> float:
        """All of them."""
        return self.linear_flops + self.attention_flops

    @property
    def bytes(self) -> float:
        """All that passes between memory and processors."""
        return self.weight_bytes + self.kv_bytes + self.activation_bytes

    @property
    def kv_bytes(self) -> float:
        """K and V, read and written."""
        return self.kv_bytes_read + self.kv_bytes_written

    @property
    def intensity(self) -> float:
        """Arithmetic intensity: FLOPs for each byte."""
        return self.flops / self.bytes


def step_cost(
    shape: ModelShape,
    load: StepLoad,
    *,
    weight_size: float = 2,
    kv_size: float = 2,
    activation_size: float = 2,
) -> StepCost:
    """What a step costs, with that many bytes for a number of weights, K/V and activations.

    Each operation reads its inputs and writes its output; only attention keeps its scores to
    itself, as FlashAttention does.
    """
    g = shape.geometry
    queries, rows = g.h * g.d_k, (g.h + 2 * g.h_kv) * g.d_k
    in_a_layer = 14 * g.d_model + 3 * queries + rows + 6 * shape.d_ff
    numbers = load.fed * (g.layers * in_a_layer + 3 * g.d_model)
    numbers += load.chosen * (g.d_model + shape.vocabulary)
    token = g.numbers_per_token * kv_size
    return StepCost(
        linear_flops=2 * load.fed * shape.linear_parameters
        + 2 * load.chosen * shape.output_parameters,
        attention_flops=4 * g.layers * queries * load.pairs,
        weight_bytes=shape.parameters_read * weight_size,
        kv_bytes_read=load.kv_read * token,
        kv_bytes_written=load.fed * token,
        activation_bytes=activation_size * numbers,
    )


def step_time(cost: StepCost, machine: Machine) -> float:
    """Seconds that the step takes at least: one maximum over all of it."""
    return max(cost.flops / machine.flops_per_second, cost.bytes / machine.bytes_per_second)


def step_time_by_kind(cost: StepCost, machine: Machine) -> float:
    """Seconds where attention starts when the linear layers are done: a maximum for each.

    More than `step_time` where one of the two computes and the other reads.
    """
    P, BW = machine.flops_per_second, machine.bytes_per_second
    linear = max(cost.linear_flops / P, (cost.weight_bytes + cost.activation_bytes) / BW)
    return linear + max(cost.attention_flops / P, cost.kv_bytes / BW)


def compute_bound_batch(machine: Machine, weight_size: float = 2) -> float:
    """b*: requests from which on the linear layers of a decode step compute longer than they read.

    A weight of `weight_size` bytes gives two FLOPs for each row that goes through it.
    """
    return machine.ridge * weight_size / 2


def even_context(shape: ModelShape, b: int) -> float:
    """m*: the context at which b requests' K and V are as many bytes as the weights."""
    return shape.parameters_read / (b * shape.geometry.numbers_per_token)


def decode_attention_intensity(shape: ModelShape) -> float:
    """FLOPs for each byte of K and V in fp16, whatever the batch and the context are: h / h_kv."""
    return shape.geometry.h / shape.geometry.h_kv


def token_capacity(shape: ModelShape, machine: Machine, share: float = MEMORY_SHARE) -> int:
    """Tokens whose K and V fit beside the weights, all in fp16; 0 where the weights do not."""
    room = share * machine.memory - 2 * shape.parameters
    return max(0, int(room // shape.geometry.bytes_per_token()))


def requests_that_fit(shape: ModelShape, machine: Machine, m: int) -> int:
    """Requests of m tokens that the memory holds at a time."""
    return token_capacity(shape, machine) // m


def tokens_per_second(shape: ModelShape, machine: Machine, b: int, m: int) -> float:
    """Of a batch that is memory-bound, weights and K/V alone: BW / (W / b + m · k)."""
    weights = 2 * shape.parameters_read
    return machine.bytes_per_second / (weights / b + m * shape.geometry.bytes_per_token())


def tokens_per_second_ceiling(shape: ModelShape, machine: Machine, m: int) -> float:
    """What no batch exceeds, however large: BW / (m · k). Half of it is reached at b = m* / m."""
    return machine.bytes_per_second / (m * shape.geometry.bytes_per_token())
