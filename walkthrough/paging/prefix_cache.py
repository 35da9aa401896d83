"""Which block holds which content: full blocks, found again by the whole chain before them.

Each content that is cached has a number of its own, and its identity is the number of the
content before it together with its tokens. So a block is found only behind the very chain it
was computed behind, and equality decides, not a hash: two contents never share a block even
where their hashes collide. A chain starts from the number of its extra keys (a salt, an
adapter's name), each with the name of its field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from walkthrough.paging.block_pool import BlockPool

Identity = tuple[int, ...]  # (number of the content before, token, token, …)


class PrefixCache:
    """Finds blocks by content; blocks of `block_size` tokens from one pool."""

    def __init__(self, pool: BlockPool, block_size: int) -> None:
        self.pool, self.block_size = pool, block_size
        self.number = [0] * pool.num_blocks  # the number of the content that a block holds
        self._block: dict[Identity, int] = {}
        self._twins: dict[Identity, list[int]] = {}  # further blocks of the same content
        self._roots: dict[tuple[tuple[str, str], ...], int] = {}
        self._last_number = 0
        pool.forget = self._forget

    def root(self, extra: Mapping[str, str]) -> int:
        """The number from which chains with these extra keys start."""
        keys = tuple(sorted(extra.items()))
        if keys not in self._roots:
            self._last_number += 1
            self._roots[keys] = self._last_number
        return self._roots[keys]

    def match(self, token_ids: Sequence[int], root: int) -> list[int]:
        """Blocks that hold the longest known prefix of these tokens. Nothing is touched.

        The last token is never part of it: someone has to compute the logits after it.
        """
        size, number, blocks = self.block_size, root, []
        for start in range(0, len(token_ids) - size, size):
            block = self._block.get((number, *token_ids[start : start + size]))
            if block is None:
                break
            number = self.number[block]
            blocks.append(block)
        return blocks

    def cache_full_blocks(
        self, token_ids: Sequence[int], block_table: Sequence[int], start: int, end: int, root: int
    ) -> None:
        """Remember what the full blocks start … end of a sequence hold, those before being known.

        Equal content in another block is remembered as well.
        """
        size, known, numbers, content = self.block_size, self._block, self.number, self.pool.content
        number = numbers[block_table[start - 1]] if start else root
        for index in range(start, end):
            block = block_table[index]
            identity = (number, *token_ids[index * size : (index + 1) * size])
            if (twin := known.get(identity)) is None:
                known[identity] = block
                self._last_number = number = self._last_number + 1
            else:
                number = numbers[twin]
                self._twins.setdefault(identity, []).append(block)
            numbers[block], content[block] = number, identity
        if self.pool.listeners:
            self.pool.tell("cached", block_table[start:end])

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        used = self.pool.num_blocks - 1 - self.pool.num_free_blocks
        if used:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self._block.clear()
        self._twins.clear()
        self.pool.drop_cached()

    def _forget(self, block: int) -> None:
        """The block is about to be used for something else: it loses its identity."""
        identity: Identity = self.pool.content[block]  # type: ignore[assignment]
        self.pool.content[block] = None
        if identity not in self._twins:
            del self._block[identity]
            return
        twins = self._twins[identity]
        if block in twins:
            twins.remove(block)
        else:
            self._block[identity] = twins.pop()
        if not twins:
            del self._twins[identity]
