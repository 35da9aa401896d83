"""Which block holds which content: full blocks, found again by the whole chain before them.

Chains that begin alike make a tree. A node stands for blocks that one sequence filled one after
the other, and reads their tokens in that sequence's own list, so that caching a block copies
no token; where another sequence goes on otherwise, a branch leads to a node of its own. Tokens
decide, not hashes of them: two contents never share a block. What comes with a request besides
tokens (a salt, an adapter's name), each with the name of its field, is part of its first branch.

A tree, as in SGLang's RadixAttention (Zheng et al., 2024). vLLM names a block by a hash of the
hash before it and of its tokens; lesson 14 shows that chain.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence

from walkthrough.paging.block_pool import BlockPool

Root = Hashable  # what a chain starts from: 0, or its extra keys


class Node:
    """Blocks `start`, `start` + 1, … of a chain, whose tokens `token_ids` has from position 0.

    That list may grow, but what it holds never changes.
    """

    __slots__ = ("above", "blocks", "branches", "key", "start", "token_ids")

    def __init__(self, token_ids: list[int], start: int, above: Node | None, key: Hashable) -> None:
        self.token_ids, self.start = token_ids, start
        self.above, self.key = above, key  # it is above.branches[start][key]
        self.blocks: list[int | None] = []  # None: evicted; the last is never None
        self.branches: dict[int, dict[Hashable, Node]] = {}  # by first block, then by its tokens


class PrefixCache:
    """Finds blocks by content; blocks of `block_size` tokens from one pool, one cache a pool."""

    def __init__(self, pool: BlockPool, block_size: int) -> None:
        if pool.forget is not None:
            raise ValueError("the pool has a prefix cache already")
        self.pool, self.block_size = pool, block_size
        self.tree = Node([], 0, None, None)
        self._node: list[Node | None] = pool.content  # type: ignore[assignment]
        self._index = [0] * pool.num_blocks  # of a cached block in its chain
        # Further blocks with the content of one that a node holds, by node and index.
        self._twins: dict[tuple[Node, int], list[int]] = {}
        pool.forget, pool.give_up = self.forget, self._give_up

    @staticmethod
    def root(extra: Mapping[str, str] | None, window: int | None = None) -> Root:
        """What chains with these extra keys start from; seen through a window, rows differ."""
        keys = tuple(sorted(extra.items())) if extra else 0
        return keys if window is None else (window, keys)

    def match(self, token_ids: Sequence[int], root: Root) -> list[int]:
        """Blocks that hold the longest known prefix of these tokens. Nothing is touched.

        The last token is never part of it: someone has to compute the logits after it.
        """
        if not isinstance(token_ids, list):
            token_ids = list(token_ids)
        blocks: list[int] = []
        node, first, end = self.tree, 0, (len(token_ids) - 1) // self.block_size
        while True:
            if held := node.blocks[first - node.start : end - node.start]:
                equal = self._num_equal(node.token_ids, token_ids, first, len(held))
                for block in held[:equal]:
                    if block is None:
                        return blocks
                    blocks.append(block)
                first += equal
            branches = node.branches.get(first)
            if first == end or not branches:
                return blocks
            branch = branches.get(self._key(token_ids, first, root))
            if branch is None:
                return blocks
            node = branch

    def node_of(self, block: int) -> Node:
        """Where a cached block stands in the tree."""
        node = self._node[block]
        if node is None:
            raise ValueError(f"block {block} is not cached")
        return node

    def cache_full_blocks(
        self, node: Node, token_ids: list[int], block_table: Sequence[int], first: int, root: Root
    ) -> Node:
        """Remember the content of the full blocks from the `first` on, which goes on at `node`.

        Returns the node at which it ends. Content that another block holds as well is
        remembered for both.
        """
        start, end = first, len(token_ids) // self.block_size
        while first < end:
            own = node.token_ids is token_ids and len(node.blocks) == first - node.start
            if own and not node.branches:  # nobody but this chain goes on here
                blocks = block_table[first:end]
                node.blocks += blocks
                node_of, index_of = self._node, self._index
                for index, block in enumerate(blocks, first):
                    node_of[block] = node
                    index_of[block] = index
                break
            key = self._key(token_ids, first, root)
            if branch := node.branches.get(first, {}).get(key):
                node = branch
            elif own or self._num_equal(node.token_ids, token_ids, first, 1):
                self._hold(node, first, block_table[first])
                first += 1
            else:
                branch = Node(token_ids, first, node, key)
                node.branches.setdefault(first, {})[key] = branch
                node = branch
        if self.pool.listeners:
            self.pool.tell("cached", block_table[start:end])
        return node

    def _key(self, token_ids: list[int], first: int, root: Root) -> Hashable:
        tokens = tuple(token_ids[first * self.block_size : (first + 1) * self.block_size])
        return tokens if first else (root, tokens)

    def _num_equal(self, one: list[int], other: list[int], first: int, count: int) -> int:
        """How many of `count` blocks from the `first` on hold equal tokens in both."""

        def differ(n: int) -> bool:
            part = slice(first * self.block_size, (first + n) * self.block_size)
            return one[part] != other[part]

        if not differ(count):  # most often
            return count
        return bisect_left(range(1, count), True, key=differ)

    def _hold(self, node: Node, index: int, block: int) -> None:
        blocks, place = node.blocks, index - node.start
        blocks += [None] * (place + 1 - len(blocks))
        holder = blocks[place]
        if holder is None:
            blocks[place] = block
        else:
            self._twins.setdefault((node, index), []).append(block)
            self.pool.spare |= {block, holder}
        self._node[block], self._index[block] = node, index

    def reset(self) -> None:
        """Forget everything; refused, with ValueError, while blocks are in use."""
        if used := self.pool.num_used_blocks:
            raise ValueError(f"the prefix cache cannot be reset: {used} blocks are in use")
        self.tree = Node([], 0, None, None)  # who still stands in the old one goes on there
        self.pool.drop_cached()

    def forget(self, blocks: Sequence[int]) -> None:
        """What these blocks hold is not known any more: it goes, or somebody writes over it."""
        node_of, index_of, spare = self._node, self._index, self.pool.spare
        for block in blocks:
            node, node_of[block] = node_of[block], None
            assert node is not None
            held, place = node.blocks, index_of[block] - node.start
            if spare and block in spare:
                self._forget_twin(node, index_of[block], block)
            elif place < len(held) - 1:
                held[place] = None
            else:  # the usual way: the end of a chain is given back first
                del held[-1]
                while held and held[-1] is None:
                    del held[-1]
                if not held:
                    self._cut(node)
        if self.pool.listeners:
            self.pool.tell("evicted", blocks)

    def _give_up(self, block: int) -> int:
        """Forget a block whose content another one holds as well, and name that one."""
        node, index = self.node_of(block), self._index[block]
        self.forget([block])
        other = node.blocks[index - node.start]
        assert other is not None
        return other

    def _cut(self, node: Node) -> None:
        """Take a node that has no block out of the tree, unless a branch goes on from it.

        That is so where `truncate` took back what another sequence had gone on from: once
        somebody computes it again, what comes after it is found again.
        """
        while node.above and not node.blocks and not node.branches:
            above = node.above
            branches = above.branches.get(node.start, {})
            if branches.get(node.key) is not node:
                return  # it is out already: its sequence went on, in a window
            del branches[node.key]
            if not branches:
                del above.branches[node.start]
            node = above

    def _forget_twin(self, node: Node, index: int, block: int) -> None:
        twins, place = self._twins[node, index], index - node.start
        if node.blocks[place] == block:
            node.blocks[place] = twins.pop()  # takes its place
        else:
            twins.remove(block)
        self.pool.spare.discard(block)
        if not twins:
            del self._twins[node, index]
            self.pool.spare.discard(node.blocks[place])
