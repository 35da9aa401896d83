"""A sequence whose last tokens may be guesses: slots ahead, and back without freeing a block."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf
from typing import Self

from walkthrough.paging.block_pool import BlockPool
from walkthrough.paging.prefix_cache import PrefixCache
from walkthrough.paging.sequence import Copy, Sequence


class SpeculativeSequence(Sequence):
    """What is appended counts as guessed until `roll_back` says which of it was right.

    Blocks of wrong guesses stay with the sequence, as `blocks_ahead`, for the tokens that come in
    their place; in vLLM they stay in the table, behind the last block that counts. The prefix cache
    learns of verified tokens alone.
    """

    blocks_ahead: list[int]  # in use, and behind the table, in order

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        prefix_cache: PrefixCache | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(pool, block_size, prefix_cache, extra)
        self.num_guessed = 0  # of its last tokens
        self.blocks_ahead = []

    def append(self, token_ids: SequenceOf[int]) -> list[Copy]:
        """As for any sequence; the tokens count as guessed, and blocks ahead are used first."""
        copies = super().append(token_ids)
        self.num_guessed += len(token_ids)
        return copies

    def append_token(self, token: int) -> list[Copy]:
        """The same for one token."""
        return self.append((token,))

    def _new_blocks(self, n: int) -> list[int]:
        new = self.pool.get_new_blocks(max(n - len(self.blocks_ahead), 0))
        kept, self.blocks_ahead = self.blocks_ahead[:n], self.blocks_ahead[n:]
        return kept + new

    def _cache_full_blocks(self) -> None:
        """Not yet: some of the tokens may be wrong."""

    def roll_back(self, n: int) -> None:
        """Take back the last n tokens, wrong guesses; all before them are right.

        No block is freed, and full blocks of right tokens are cached. Raises ValueError, with
        nothing changed, where fewer than n tokens are guessed.
        """
        if not 0 <= n <= self.num_guessed:
            raise ValueError(f"cannot take back {n} tokens: {self.num_guessed} are guessed")
        length = len(self) - n
        keep = -(-length // self.block_size)
        emptied = self.block_table[keep:]
        self.blocks_ahead = emptied + self.blocks_ahead
        del self.block_table[keep:], self.token_ids[length:]
        self.num_guessed = 0
        if n and self.pool.listeners:
            if length % self.block_size:
                self._tell_written(length - 1, length)
            self.pool.tell("written", emptied, 0)
        if self.prefix_cache is not None:
            super()._cache_full_blocks()

    def truncate(self, length: int, *, written: bool = True) -> None:
        """As for any sequence: blocks are freed."""
        cut = len(self) - length
        super().truncate(length, written=written)
        self.num_guessed = max(self.num_guessed - cut, 0)

    def fork(self) -> Self:
        """As for any sequence; what two share counts as right, and blocks ahead are not shared."""
        self.roll_back(0)
        child = super().fork()
        child.blocks_ahead = []
        return child

    def free(self) -> None:
        """Give all blocks back, those ahead first."""
        self.pool.free_blocks(reversed(self.blocks_ahead))
        self.blocks_ahead, self.num_guessed = [], 0
        super().free()
