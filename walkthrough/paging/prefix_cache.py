"""Which block holds which content: full blocks, found again by the whole chain before them.

Each content that is cached has a number of its own, and its identity is the number of the
content before it together with its tokens. So a block is found only behind the very chain it
was computed behind, and equality decides, not a hash: two contents never share a block even
where their hashes collide. A chain starts from the number of its extra keys (a salt, an
adapter's name), each with the name of its field.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

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
        size, number = self.block_size, root
        blocks: list[int] = []
        for start in range(0, len(token_ids) - size, size):
            block = self._block.get((number, *token_ids[start : start + size]))
            if block is None:
                break
            number = self.number[block]
            blocks.append(block)
        return blocks

    def cache_full_blocks(
        self, token_ids: Sequence[int], block_table: Sequence[int], chain: list[int], root: Root
    ) -> None:
        """Remember what the full blocks of a sequence hold, from where its chain ends.

        `chain` has the numbers of the full blocks that are known already; the new ones are
        added to it. Content that another block holds as well is remembered for both.
        """
        size, known, numbers, content = self.block_size, self._block, self.number, self.pool.content
        number: Hashable = chain[-1] if chain else root
        start, end = len(chain), len(token_ids) // size
        for index in range(start, end):
            block = block_table[index]
            identity = (number, *token_ids[index * size : (index + 1) * size])
            if (twin := known.get(identity)) is None:
                known[identity] = block
                self._last_number = number = self._last_number + 1
            else:
                number = numbers[twin]
                self._twins.setdefault(identity, {})[block] = None
                self.pool.spare |= {block, twin}
            chain.append(number)
            numbers[block], content[block] = number, identity
        if self.pool.listeners:
            self.pool.tell("cached", block_table[start:end])

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        used = self.pool.num_blocks - 1 - self.pool.num_free_blocks
        if used:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self._block.clear()
        self.pool.drop_cached()

    def forget(self, block: int) -> None:
        """The block is about to be used for something else: it loses its identity."""
        identity: Identity = self.pool.content[block]  # type: ignore[assignment]
        self.pool.content[block] = None
        twins = self._twins.get(identity)
        if twins is None:
            del self._block[identity]
            return
        if block in twins:
            del twins[block]
        else:
            self._block[identity], _ = twins.popitem()
        self.pool.spare.discard(block)
        if not twins:
            del self._twins[identity]
            self.pool.spare.discard(self._block[identity])
