"""A real model whose keys and values are rounded to 8 or 4 bits, beside itself with exact ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.display.table import Table
from walkthrough.llm.words import ROUNDED
from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.sequence import Sequence
from walkthrough.reference.model import next_logits
from walkthrough.reference.paged import GatheredCache, PagedStorage
from walkthrough.reference.smaller.quantised import QuantisedStorage

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from walkthrough.llm.llama import Llama
    from walkthrough.reference.model import LanguageModel


def storage_for(
    model: Llama, num_blocks: int, block_size: int, kv_bits: int | None = None
) -> PagedStorage:
    """Blocks for a model's keys and values, in its own dtype or in so many bits."""
    if kv_bits is None:
        return PagedStorage(num_blocks, block_size, **model.cache_shape)
    return QuantisedStorage(num_blocks, block_size, **model.cache_shape, bits=kv_bits)


def bytes_per_token(model: Llama, kv_bits: int | None) -> int:
    """What K and V of one token take in all layers, scales included."""
    return storage_for(model, 1, 1, kv_bits).nbytes


def cache_for(
    model: Llama, block_size: int, length: int, kv_bits: int | None = None
) -> GatheredCache:
    """A cache over a pool of its own, for a sequence up to this length."""
    num_blocks = -(-length // block_size) + 1
    storage = storage_for(model, num_blocks, block_size, kv_bits)
    return GatheredCache(storage, Sequence(BlockPool(num_blocks), block_size))


@dataclass
class Closeness:
    """How far a model's logits are from another's, over one text that both are fed.

    At each place of the answer: whether the likeliest token is the same; where it is not, how
    far the exact logits of the two are apart; and the largest difference of a logit.
    """

    places: int = 0
    gaps: list[float] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)

    def see(self, exact: np.ndarray, rounded: np.ndarray) -> None:
        """Logits (vocabulary,) of one place."""
        self.places += 1
        self.differences.append(float(np.abs(exact - rounded).max()))
        one, other = int(exact.argmax()), int(rounded.argmax())
        if one != other:
            self.gaps.append(float(exact[one] - exact[other]))

    def table(self, language: str) -> Table:
        """A line each."""
        words = ROUNDED[language]
        rows: dict[str, float | str] = {
            words["places"]: self.places,
            words["other"]: len(self.gaps),
            words["gap"]: max(self.gaps, default="-"),
            words["median"]: float(np.median(self.differences)),
            words["largest"]: max(self.differences),
        }
        return Table(words["title"], [[value] for value in rows.values()], rows=list(rows))


def closeness(
    model: LanguageModel,
    exact: GatheredCache,
    rounded: GatheredCache,
    token_ids: SequenceOf[int],
    prompt: int,
) -> Closeness:
    """Feed one text to both: its first `prompt` tokens at once, the others one by one."""
    found = Closeness()
    for end in range(prompt, len(token_ids)):
        logits = [
            next_logits(model, token_ids[cache.num_computed_tokens : end], cache)
            for cache in (exact, rounded)
        ]
        found.see(*logits)
    return found
