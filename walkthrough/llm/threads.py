"""On how many threads NumPy's matrix products run: as many as help.

A product with few rows only reads the weights through, which one core does about as fast as two;
handing it to a second one costs more than it brings, and very much more on a busy machine. With
many rows the arithmetic decides, and all cores are worth their while.

Measured with OpenBLAS 0.3.31 on two x86-64 cores, the products of one pass of SmolLM2: one row 41
ms on one thread, 36 on two; 512 rows 1483 and 723. While others kept both cores busy: one row 39
and 109 ms, two rows 73 and 250.
"""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.reference.cache import LayerCache
from walkthrough.reference.model import LanguageModel
from walkthrough.reference.work import Array, Work

MANY_ROWS = 32


class Threaded:
    """A model that computes few tokens at a time on one thread and many on `threads`."""

    def __init__(self, model: LanguageModel, threads: int | None = None) -> None:
        """`threads` for many tokens; None: as many as the BLAS library has chosen itself."""
        from threadpoolctl import ThreadpoolController

        self.model, self.threads = model, threads
        self._blas = ThreadpoolController()

    @property
    def eos(self) -> int:
        """The model's."""
        return self.model.eos

    @property
    def vocabulary(self) -> int:
        """The model's."""
        return self.model.vocabulary

    def hidden(
        self,
        token_ids: Sequence[int],
        positions: Sequence[int],
        cache: LayerCache,
        work: Work | None = None,
    ) -> Array:
        """The model's."""
        limit = 1 if len(token_ids) < MANY_ROWS else self.threads
        with self._blas.limit(limits=limit, user_api="blas"):
            return self.model.hidden(token_ids, positions, cache, work)

    def logits(self, hidden: Array, work: Work | None = None) -> Array:
        """The model's."""
        limit = 1 if len(hidden) < MANY_ROWS else self.threads
        with self._blas.limit(limits=limit, user_api="blas"):
            return self.model.logits(hidden, work)
