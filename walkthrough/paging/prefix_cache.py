"""Which block holds which content: full blocks, found again by the whole chain before them.

Each content that is cached has a number of its own, and its identity is the number of the
content before it together with its tokens. So a block is found only behind the very chain it
was computed behind, and equality decides, not a hash: two contents never share a block even
where their hashes collide. A chain starts from the number of its extra keys (a salt, an
adapter's name), each with the name of its field.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice

from walkthrough.paging.block_pool import BlockPool

Identity = tuple[Hashable, ...]  # (number of the content before, token, token, …)
Root = Hashable  # what a chain starts from: 0, or its extra keys


class PrefixCache:
    """Finds blocks by content; blocks of `block_size` tokens from one pool, one cache a pool."""

    def __init__(self, pool: BlockPool, block_size: int) -> None:
        if pool.forget is not None:
            raise ValueError("the pool has a prefix cache already")
        self.pool, self.block_size = pool, block_size
        self.number = [0] * pool.num_blocks  # the number of the content that a block holds
        self._block: dict[Identity, int] = {}
        self._twins: dict[Identity, dict[int, None]] = {}  # further blocks of the same content
        self._last_number = 0
        pool.forget = self.forget

    @staticmethod
    def root(extra: Mapping[str, str]) -> Root:
        """What chains with these extra keys start from."""
        return tuple(sorted(extra.items())) or 0

    def match(self, token_ids: Sequence[int], root: Root) -> list[int]:
        """Blocks that hold the longest known prefix of these tokens. Nothing is touched.

        The last token is never part of it: someone has to compute the logits after it.
        """
        number, blocks = root, []
        known, numbers = self._block.get, self.number
        for tokens in islice(self._full_blocks(token_ids), (len(token_ids) - 1) // self.block_size):
            block = known((number, *tokens))
            if block is None:
                break
            number = numbers[block]
            blocks.append(block)
        return blocks

    def cache_full_blocks(
        self, token_ids: Sequence[int], block_table: Sequence[int], before: Hashable
    ) -> Hashable:
        """Remember that blocks hold these tokens, `block_size` each, behind a known content.

        `before` is that content's number, or a root; returns the number of the last one.
        Content that another block holds as well is remembered for both.
        """
        known, numbers, content = self._block.setdefault, self.number, self.pool.content
        number, last = before, self._last_number
        for block, tokens in zip(block_table, self._full_blocks(token_ids), strict=False):
            content[block] = identity = (number, *tokens)
            if (holder := known(identity, block)) == block:
                number = last = last + 1
            else:
                number = numbers[holder]
                self._twins.setdefault(identity, {})[block] = None
                self.pool.spare |= {block, holder}
            numbers[block] = number
        self._last_number = last
        if self.pool.listeners:
            self.pool.tell("cached", block_table[: len(token_ids) // self.block_size])
        return number

    def _full_blocks(self, token_ids: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The tokens, `block_size` at a time, without the rest; cut when they are asked for."""
        return zip(*[iter(token_ids)] * self.block_size, strict=False)

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        used = self.pool.num_blocks - 1 - self.pool.num_free_blocks
        if used:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self._block.clear()
        self.pool.drop_cached()

    def forget(self, blocks: Sequence[int]) -> None:
        """Blocks are about to be used for something else: they lose their identity."""
        content, known, twins = self.pool.content, self._block, self._twins
        for block in blocks:
            identity: Identity = content[block]  # type: ignore[assignment]
            content[block] = None
            if twins and identity in twins:
                self._forget_twin(block, identity)
            else:
                del known[identity]

    def _forget_twin(self, block: int, identity: Identity) -> None:
        twins = self._twins[identity]
        if block in twins:
            del twins[block]
        else:
            self._block[identity], _ = twins.popitem()
        self.pool.spare.discard(block)
        if not twins:
            del self._twins[identity]
            self.pool.spare.discard(self._block[identity])
