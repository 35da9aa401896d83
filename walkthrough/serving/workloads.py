"""Requests as lengths: how many tokens come in, how many go out.

The means are published: Kwon et al., "Efficient Memory Management for Large Language Model
Serving with PagedAttention" (SOSP 2023), figure 11. The shape of the distributions is not:
gamma, with the standard deviations below, is a guess.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Lengths:
    """One request: prompt and output in tokens; what blocks its prompt has, where known."""

    prompt: int
    output: int
    content: tuple[int, ...] = ()  # one id for each CONTENT_SIZE tokens; equal ids, equal text
    common: int = 0  # tokens at its beginning that all requests have in common
    arrival: float | None = field(default=None, compare=False)  # seconds, from whatever zero

    @property
    def stored(self) -> int:
        """Tokens in the cache when it ends: the last one is never fed."""
        return self.prompt + self.output - 1


CONTENT_SIZE = 512  # tokens for one id of `Lengths.content`


@dataclass(frozen=True)
class Workload:
    """Published means and guessed standard deviations, in tokens."""

    name: str
    mean_prompt: float
    mean_output: float
    sd_prompt: float  # a guess
    sd_output: float  # a guess

    def draw(self, count: int, rng: random.Random, longest: int, common: int = 0) -> list[Lengths]:
        """Requests of at most `longest` tokens, `common` ones before each prompt among them.

        Longer ones are drawn again. Raises ValueError where nearly all would be.
        """
        drawn: list[Lengths] = []
        tries = 0
        while len(drawn) < count:
            prompt = common + draw_length(rng, self.mean_prompt, self.sd_prompt)
            output = draw_length(rng, self.mean_output, self.sd_output)
            if prompt + output <= longest:
                drawn.append(Lengths(prompt, output, common=common))
            tries += 1
            if tries > 1000 + 100 * len(drawn):
                raise ValueError(f"hardly a request of {self.name} has at most {longest} tokens")
        return drawn


def draw_length(rng: random.Random, mean: float, sd: float) -> int:
    """A gamma-distributed number of tokens, at least 1."""
    return max(1, round(rng.gammavariate((mean / sd) ** 2, sd**2 / mean)))


WORKLOADS = {
    "sharegpt": Workload("ShareGPT", 161.31, 337.99, 250, 296),
    "alpaca": Workload("Alpaca", 19.31, 58.45, 12, 68),
}
