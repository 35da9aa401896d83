"""Which block holds which content: full blocks, found again by the whole chain before them.

A block's identity is its chain: the prefix before it, its tokens, and extra keys (a salt, an
adapter's name). The hash of the chain only says where to look; the content itself decides,
so two contents never share a block even where their hashes collide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from walkthrough.paging.block_pool import BlockPool

Extra = tuple[tuple[str, str], ...]


def extra_keys(keys: Mapping[str, str]) -> Extra:
    """What else tells contents apart, each value with the name of its field."""
    return tuple(sorted(keys.items()))


class Prefix:
    """A chain of full blocks of tokens, ending with `tokens`; `blocks` hold its last block."""

    __slots__ = ("block_hash", "blocks", "children", "extra", "parent", "tokens")

    def __init__(
        self, parent: Prefix | None, tokens: tuple[int, ...], extra: Extra, block_hash: int
    ) -> None:
        self.parent, self.tokens, self.extra = parent, tokens, extra
        self.block_hash = block_hash
        self.blocks: list[int] = []
        self.children = 0  # chains known to go on from here


class PrefixCache:
    """Finds blocks by content. `hash_function` is for tests: any function of a tuple will do."""

    def __init__(
        self, pool: BlockPool, block_size: int, hash_function: Callable[[object], int] = hash
    ) -> None:
        self.pool, self.block_size = pool, block_size
        self.hash_function = hash_function
        self._by_hash: dict[int, list[Prefix]] = {}
        self._of_block: dict[int, Prefix] = {}
        pool.forget = self._forget

    def find(self, parent: Prefix | None, tokens: tuple[int, ...], extra: Extra) -> Prefix | None:
        """The chain that goes on from `parent` with just these tokens, if it is known."""
        block_hash = self._hash(parent, tokens, extra)
        for prefix in self._by_hash.get(block_hash, ()):
            if prefix.parent is parent and prefix.tokens == tokens and prefix.extra == extra:
                return prefix
        return None

    def match(self, token_ids: Sequence[int], extra: Extra = ()) -> tuple[list[int], Prefix | None]:
        """Blocks that hold the longest known prefix, and its chain. Nothing is touched.

        The last token is never part of it: someone has to compute the logits after it.
        """
        blocks: list[int] = []
        size, prefix = self.block_size, None
        for start in range(0, len(token_ids) - size, size):
            found = self.find(prefix, tuple(token_ids[start : start + size]), extra)
            if found is None or not found.blocks:
                break
            prefix = found
            blocks.append(found.blocks[-1])
        return blocks, prefix

    def cache_full_block(
        self, block: int, parent: Prefix | None, tokens: tuple[int, ...], extra: Extra
    ) -> Prefix:
        """Remember that this block, in use and full, holds these tokens behind that chain."""
        prefix = self.find(parent, tokens, extra)
        if prefix is None:
            prefix = Prefix(parent, tokens, extra, self._hash(parent, tokens, extra))
            self._by_hash.setdefault(prefix.block_hash, []).append(prefix)
            if parent is not None:
                parent.children += 1
        prefix.blocks.append(block)
        self._of_block[block] = prefix
        self.pool.is_cached[block] = 1
        if self.pool.listeners:
            self.pool.tell("cached", [block])
        return prefix

    def prefix_of(self, block: int) -> Prefix | None:
        """The chain that a block is known to end, if any."""
        return self._of_block.get(block)

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        used = self.pool.num_blocks - 1 - self.pool.num_free_blocks
        if used:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self._by_hash.clear()
        self._of_block.clear()
        self.pool.drop_cached()

    def _hash(self, parent: Prefix | None, tokens: tuple[int, ...], extra: Extra) -> int:
        return self.hash_function((parent.block_hash if parent else 0, tokens, extra))

    def _forget(self, block: int) -> None:
        """The block is about to be used for something else: it loses its identity."""
        prefix: Prefix | None = self._of_block.pop(block)
        assert prefix is not None
        prefix.blocks.remove(block)
        # A chain is kept while a block holds its end or a known chain goes on from it.
        while prefix is not None and not prefix.blocks and not prefix.children:
            chains = self._by_hash[prefix.block_hash]
            chains.remove(prefix)
            if not chains:
                del self._by_hash[prefix.block_hash]
            prefix = prefix.parent
            if prefix is not None:
                prefix.children -= 1
