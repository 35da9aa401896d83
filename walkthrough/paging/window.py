"""A sequence seen through a sliding window, whose blocks behind the window serve others.

Sinks, first tokens that stay: StreamingLLM (Xiao et al. 2023), section 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as SequenceOf

from walkthrough.paging.block_pool import NULL_BLOCK, BlockHash, BlockPool
from walkthrough.paging.prefix_cache import PrefixCache, chain_start
from walkthrough.paging.sequence import Copy, Sequence


def blocks_held(m: int, window: int, block_size: int, sinks: int = 0) -> int:
    """Blocks of m computed tokens that the next token still looks into: its last window − 1.

    With sinks (StreamingLLM, Xiao et al. 2023) also the first tokens, which every query sees.
    """
    if m < 0 or sinks < 0 or window < 1 or block_size < 1:
        raise ValueError(
            f"m and sinks must be at least 0, window and block_size at least 1, "
            f"got {m}, {sinks}, {window} and {block_size}"
        )
    first = max(0, m - window + 1) // block_size  # logical blocks before it are behind the window
    kept = min(-(-sinks // block_size), first)
    return -(-m // block_size) - first + kept


class WindowedSequence(Sequence):
    """A token sees only the last `window` positions up to its own, and the first `sinks`.

    Whole blocks behind the window are given back, but for those with sinks; the null block stands
    for them in the table. Positions are those of the text: who counts them within the cache, as
    StreamingLLM does, turns keys accordingly.
    """

    window: int

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        prefix_cache: PrefixCache | None = None,
        extra: Mapping[str, str] | None = None,
        *,
        window: int,
        sinks: int = 0,
    ) -> None:
        if window < 1:
            raise ValueError(f"window must be at least 1, got {window}")
        if sinks < 0:
            raise ValueError(f"sinks must be at least 0, got {sinks}")
        super().__init__(pool, block_size, prefix_cache, extra)
        self.window, self.sinks = window, sinks
        # From the second layer on, rows differ.
        self.chain_start = chain_start(extra, (window, sinks) if sinks else window)

    @property
    def num_sink_blocks(self) -> int:
        """Its first blocks, which stay: there are sinks in them."""
        return -(-self.sinks // self.block_size)

    def reuse_prefix(self, prompt: SequenceOf[int]) -> int:
        """As for any sequence; only what the next token sees of the prefix has to be there.

        These are the blocks of the last window − 1 tokens (one at least) and of the sinks.
        """
        known = super().reuse_prefix(prompt)
        self.num_given_back = self.block_table.count(NULL_BLOCK)
        return known

    def _known_blocks(self, prompt: SequenceOf[int]) -> tuple[list[int], list[BlockHash]]:
        assert self.prefix_cache is not None
        hashes = self.prefix_cache.identities(prompt, self.chain_start)
        cached = self.pool.cached_blocks
        for end in range(len(hashes), 0, -1):  # the longest first
            first = max(0, end * self.block_size - self.window + 1) // self.block_size
            first = min(first, end - 1)  # a window of 1 sees none; one it is
            needed = [*range(min(self.num_sink_blocks, first)), *range(first, end)]
            if all(hashes[index] in cached for index in needed):
                table = [NULL_BLOCK] * end
                for index in needed:
                    table[index] = cached[hashes[index]][0]
                return table, hashes[:end]
        return [], []

    def append(self, token_ids: SequenceOf[int]) -> list[Copy]:
        """As for any sequence; what the first of these tokens does not see, nobody will."""
        start = len(self)
        copies = super().append(token_ids)
        if token_ids:
            self.free_before(start - self.window + 1)
        return copies

    def append_token(self, token: int) -> list[Copy]:
        """The same for one token: the window moves on with each."""
        return self.append((token,))

    def free_before(self, position: int) -> None:
        """Give back the whole blocks before a position, and behind the sinks."""
        first = self.num_sink_blocks + self.num_given_back
        end = max(first, min(position, len(self)) // self.block_size)
        self.pool.free_blocks(reversed(self.block_table[first:end]))
        self.block_table[first:end] = [NULL_BLOCK] * (end - first)
        self.num_given_back = end - self.num_sink_blocks

    def truncate(self, length: int, *, written: bool = True) -> None:
        """As for any sequence, as long as the next token would see what is still there.

        Raises ValueError, with nothing changed, where the window has given some of it back.
        """
        gone = self.num_sink_blocks * self.block_size  # the first position that may be
        seen = max(length - self.window + 1, gone)
        if seen <= length and seen < gone + self.num_given_back * self.block_size:
            raise ValueError(
                f"cannot cut {len(self)} tokens to {length}: position {seen}, which the "
                f"next token would see, lies in a block that was given back"
            )
        super().truncate(length, written=written)
        if length < gone:
            self.num_given_back = 0

    def free(self) -> None:
        """Give all blocks back, the last first."""
        super().free()
        self.num_given_back = 0

    def take_over(self, token_ids: SequenceOf[int], num_given_back: int) -> None:
        """Begin with tokens whose first blocks behind the sinks were given back (swapping in).

        Raises `OutOfBlocksError`, with nothing changed.
        """
        new = self.pool.get_new_blocks(-(-len(token_ids) // self.block_size) - num_given_back)
        first = self.num_sink_blocks
        self.token_ids = list(token_ids)
        self.block_table = new[:first] + [NULL_BLOCK] * num_given_back + new[first:]
        self.num_given_back = num_given_back
        if self.pool.listeners:
            self._tell_written(0, first * self.block_size)
            self._tell_written((first + num_given_back) * self.block_size, len(token_ids))
        if self.prefix_cache is not None:
            self._cache_full_blocks()
