"""A sequence of tokens and its block table: where the K and V of each token lie.

Position p lies in block `block_table[p // block_size]`, at offset p % block_size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Sequence as SequenceOf
from contextvars import ContextVar

from walkthrough.paging.block_pool import NULL_BLOCK, BlockPool, OutOfBlocksError
from walkthrough.paging.prefix_cache import Node, PrefixCache, Root

Copy = tuple[int, int]  # (source block, destination block)

# Called with each sequence that is made, by who wants to know whose the blocks are.
sequence_made: ContextVar[Callable[[Sequence], None]] = ContextVar("sequence_made")


class Sequence:
    """Tokens in blocks of one pool, several of which may be shared with other sequences.

    With a `window`, a token sees only the last `window` positions up to its own, and blocks
    that lie behind it are given back.
    """

    def __init__(
        self,
        pool: BlockPool,
        block_size: int,
        prefix_cache: PrefixCache | None = None,
        extra: Mapping[str, str] | None = None,
        window: int | None = None,
    ) -> None:
        if block_size < 1:
            raise ValueError(f"block_size must be at least 1, got {block_size}")
        if window is not None and window < 1:
            raise ValueError(f"window must be at least 1, got {window}")
        if prefix_cache is not None and prefix_cache.pool is not pool:
            raise ValueError("the prefix cache is another pool's")
        if prefix_cache is not None and prefix_cache.block_size != block_size:
            raise ValueError(
                f"the prefix cache has blocks of {prefix_cache.block_size}, not {block_size}"
            )
        self.pool, self.block_size, self.prefix_cache = pool, block_size, prefix_cache
        self.window = window
        self._listeners = pool.listeners  # the pool's own list: someone may come to listen
        self.root: Root = PrefixCache.root(extra, window)
        self.token_ids: list[int] = []
        self.block_table: list[int] = []
        self._num_known = 0  # blocks whose content the prefix cache has been told
        self._node: Node | None = None  # where the last of them is; None: before the first
        self._room = 0  # free slots of the last block, while it is this sequence's alone
        self.num_given_back = 0  # logical blocks at the beginning that are given back: null blocks
        self._beginning_lost = False  # swapped in without it: the prefix cache is not told
        if announce := sequence_made.get(None):
            announce(self)

    def __len__(self) -> int:
        """Tokens that have a slot."""
        return len(self.token_ids)

    def reuse_prefix(self, prompt: SequenceOf[int]) -> int:
        """Start with the blocks that already hold the beginning of this prompt.

        Returns how many tokens need not be computed. Raises `OutOfBlocksError`, with every
        count as it was, where the rest of the prompt would not fit.
        """
        if self.token_ids:
            raise ValueError(f"the sequence has {len(self)} tokens already")
        needed = -(-len(prompt) // self.block_size)
        if self.prefix_cache is None or not (blocks := self.prefix_cache.match(prompt, self.root)):
            self.check_free(needed)
            return 0
        self.check_free(needed - len(blocks) + self.pool.num_free_of(blocks))
        self.pool.touch(blocks)
        self.block_table = blocks
        self._num_known, self._node = len(blocks), self.prefix_cache.node_of(blocks[-1])
        self.token_ids = list(prompt[: len(blocks) * self.block_size])
        return len(self.token_ids)

    def check_free(self, needed: int) -> None:
        """Raise `OutOfBlocksError` where fewer blocks are free."""
        if needed > self.pool.num_free_blocks:
            raise OutOfBlocksError(needed, self.pool.num_free_blocks, self.pool.num_blocks - 1)

    def append(self, token_ids: SequenceOf[int]) -> list[Copy]:
        """Give each token the next slot; returns the copies to make before slots are written.

        A shared, partly filled last block is replaced by a copy (copy-on-write). Raises
        `OutOfBlocksError`, with nothing changed, where blocks are missing.
        """
        size, table, pool = self.block_size, self.block_table, self.pool
        start = len(self.token_ids)
        end = start + len(token_ids)
        if start == end:
            return []
        copies: list[Copy] = []
        shared = start % size > 0 and pool.ref_cnt[table[-1]] > 1
        needed = -(-end // size) - len(table)
        if needed or shared:
            new = pool.get_new_blocks(needed + shared)
            if shared:
                copies.append(self._replace_last(new.pop(0)))
            table += new
        if start % size and self.prefix_cache is not None and pool.content[table[start // size]]:
            self.prefix_cache.forget([table[start // size]])  # full before `truncate`
        self.token_ids += token_ids
        if self._listeners:
            self._tell_written(start, end)
        if self.prefix_cache is not None and end // size > self._num_known:
            self._cache_full_blocks()
        if self.window is None:
            self._room = -end % size  # the last block is its own now
        else:  # what the first of these tokens does not see, nobody will
            self.free_before(start - self.window + 1)
        return copies

    def append_token(self, token: int) -> SequenceOf[Copy]:
        """The same for one token, as a decode step does it."""
        room = self._room
        if not room or self._listeners:
            return self.append((token,))
        self.token_ids.append(token)
        self._room = room - 1
        if room == 1 and self.prefix_cache is not None:
            self._cache_full_blocks()
        return ()

    def _cache_full_blocks(self) -> None:
        assert self.prefix_cache is not None
        if self._beginning_lost:
            return
        first, self._num_known = self._num_known, len(self.token_ids) // self.block_size
        self._node = self.prefix_cache.cache_full_blocks(
            self._node or self.prefix_cache.tree,
            self.token_ids,
            self.block_table,
            first,
            self.root,
        )

    def _replace_last(self, block: int) -> Copy:
        source = self.block_table[-1]
        self.block_table[-1] = block
        self.pool.free_blocks([source])
        if self.pool.listeners:
            self.pool.tell("copied", [block], source)
        return source, block

    def _tell_written(self, start: int, end: int) -> None:
        for index in range(start // self.block_size, -(-end // self.block_size)):
            filled = min(end - index * self.block_size, self.block_size)
            self.pool.tell("written", [self.block_table[index]], filled)

    def truncate(self, length: int, *, written: bool = True) -> None:
        """Take back the tokens from a position on, just appended.

        Who shares their blocks keeps them and their content, unless that was never `written`.
        Raises ValueError, with nothing changed, where a window has given back what the next
        token would see.
        """
        if not 0 <= length <= len(self):
            raise ValueError(f"cannot cut {len(self)} tokens to {length}")
        seen = length if self.window is None else max(length - self.window + 1, 0)
        if seen < self.num_given_back * self.block_size:
            raise ValueError(
                f"cannot cut {len(self)} tokens to {length}: position {seen}, which the "
                f"next token would see, lies in a block that was given back"
            )
        first, keep = length // self.block_size, -(-length // self.block_size)
        if self.prefix_cache is not None:
            ref_cnt, content = self.pool.ref_cnt, self.pool.content
            cut = reversed(self.block_table[first : self._num_known])
            known = [block for block in cut if content[block] is not None]
            self.prefix_cache.forget([b for b in known if ref_cnt[b] == 1 or not written])
            self._num_known = min(self._num_known, first)
            while self._node and self._node.start >= self._num_known:
                self._node = self._node.above
            self.token_ids = self.token_ids.copy()  # the cache reads the old list
        self.pool.free_blocks(reversed(self.block_table[keep:]))
        del self.block_table[keep:], self.token_ids[length:]
        partly = length % self.block_size > 0
        if self._listeners and partly and self.pool.ref_cnt[self.block_table[-1]] == 1:
            self._tell_written(length - 1, length)  # others may have filled it further
        self._room = 0

    def fork(self) -> Sequence:
        """Another sequence with the same tokens in the same blocks; nothing is allocated."""
        child = Sequence(self.pool, self.block_size, self.prefix_cache, window=self.window)
        self.pool.touch(self.block_table[self.num_given_back :])
        child.token_ids, child.block_table = self.token_ids.copy(), self.block_table.copy()
        child._num_known, child._node = self._num_known, self._node
        child.root, child.num_given_back = self.root, self.num_given_back
        child._beginning_lost = self._beginning_lost
        self._room = 0  # the last block is shared from now on
        return child

    def free(self) -> None:
        """Give all blocks back, the last first, so that a prefix is evicted last."""
        self.pool.free_blocks(reversed(self.block_table[self.num_given_back :]))
        self.block_table, self.token_ids = [], []
        self._num_known, self._node = 0, None
        self._room = self.num_given_back = 0
        self._beginning_lost = False

    def take_over(self, token_ids: SequenceOf[int], num_given_back: int) -> None:
        """Begin with tokens whose first blocks a window has given back already (swapping in).

        The prefix cache is not told of what it holds, for the blocks before are nowhere. Raises
        `OutOfBlocksError`, with nothing changed.
        """
        new = self.pool.get_new_blocks(-(-len(token_ids) // self.block_size) - num_given_back)
        self.token_ids, self.block_table = list(token_ids), [NULL_BLOCK] * num_given_back + new
        self.num_given_back, self._beginning_lost = num_given_back, True
        if self._listeners:
            self._tell_written(num_given_back * self.block_size, len(token_ids))

    def free_before(self, position: int) -> None:
        """Give back the whole blocks before a position (a sliding window); padding stands in."""
        end = max(self.num_given_back, min(position, len(self)) // self.block_size)
        self.pool.free_blocks(reversed(self.block_table[self.num_given_back : end]))
        self.block_table[self.num_given_back : end] = [NULL_BLOCK] * (end - self.num_given_back)
        self.num_given_back = end

    def slot(self, position: int) -> int:
        """block_id · block_size + offset of a position; −1 where its block is given back."""
        if not 0 <= position < len(self.token_ids):
            raise ValueError(f"position {position} is not one of the {len(self)} tokens'")
        block, offset = divmod(position, self.block_size)
        if block < self.num_given_back:
            return -1
        return self.block_table[block] * self.block_size + offset

    def slot_mapping(self, start: int) -> list[int]:
        """Slots of the tokens from a position on, in order."""
        return [self.slot(position) for position in range(start, len(self.token_ids))]
