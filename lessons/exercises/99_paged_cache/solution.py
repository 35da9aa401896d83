import copy
import math

import numpy as np


class OutOfBlocks(Exception):
    pass


class PagedCache:
    def __init__(self, num_blocks, block_size, d_k, layers=1, h_kv=1, dtype=float):
        shape = (layers, num_blocks, block_size, h_kv, d_k)
        self.K, self.V = np.full(shape, np.nan, dtype), np.full(shape, np.nan, dtype)
        self.block_size = block_size
        self.ref_cnt = [0] * num_blocks
        self.free_blocks = list(range(num_blocks - 1, 0, -1))
        self.block_table = []
        self.length = 0  # tokens of this sequence
        self.new = 0  # of those, how many the last extend added

    @property
    def num_computed_tokens(self):
        return self.length

    @property
    def num_free_blocks(self):
        return len(self.free_blocks)

    def extend(self, token_ids):
        n = len(token_ids)
        if n == 0:
            self.new = 0
            return
        needed = -(-(self.length + n) // self.block_size) - len(self.block_table)
        has_room = self.length % self.block_size > 0
        shared = has_room and self.ref_cnt[self.block_table[-1]] > 1
        if needed + shared > len(self.free_blocks):
            raise OutOfBlocks(f"{needed + shared} needed, {len(self.free_blocks)} free")
        if shared:
            source, target = self.block_table[-1], self._take()
            self.K[:, target], self.V[:, target] = self.K[:, source], self.V[:, source]
            self.ref_cnt[source] -= 1
            self.block_table[-1] = target
        for _ in range(needed):
            self.block_table.append(self._take())
        self.length, self.new = self.length + n, n

    def _take(self):
        block = self.free_blocks.pop()
        self.ref_cnt[block] = 1
        return block

    def write(self, layer, K, V):
        position = np.arange(self.length - self.new, self.length)
        block = np.array(self.block_table, dtype=int)[position // self.block_size]
        offset = position % self.block_size
        self.K[layer, block, offset] = K
        self.V[layer, block, offset] = V

    def attend(self, layer, Q, work=None):
        n, h, d_k = Q.shape
        kv_head = np.arange(h) // (h // self.K.shape[3])  # (h,)
        queries = Q.transpose(1, 0, 2) / math.sqrt(d_k)  # (h, n, d_k)
        position = np.arange(self.length - n, self.length)[:, None]  # (n, 1)
        m = np.full((h, n, 1), -np.inf, Q.dtype)
        l, o = np.zeros_like(m), np.zeros((h, n, d_k), Q.dtype)
        for logical, physical in enumerate(self.block_table):
            start = logical * self.block_size
            used = min(self.block_size, self.length - start)
            keys = self.K[layer, physical, :used, kv_head]  # (h, used, d_k)
            values = self.V[layer, physical, :used, kv_head]
            seen = np.arange(start, start + used) <= position  # (n, used)
            scores = np.where(seen, queries @ keys.transpose(0, 2, 1), -np.inf)  # (h, n, used)
            largest = np.maximum(m, scores.max(axis=-1, keepdims=True))
            exponentials, rescale = np.exp(scores - largest), np.exp(m - largest)
            l = l * rescale + exponentials.sum(axis=-1, keepdims=True)
            o = o * rescale + exponentials @ values
            m = largest
        return (o / l).transpose(1, 0, 2)  # (n, h, d_k)

    def fork(self):
        child = copy.copy(self)  # the same storage, counts and free blocks
        child.block_table = list(self.block_table)
        for block in self.block_table:
            self.ref_cnt[block] += 1
        return child

    def free(self):
        for block in reversed(self.block_table):
            self.ref_cnt[block] -= 1
            if self.ref_cnt[block] == 0:
                self.free_blocks.append(block)
        self.block_table = []
        self.length = self.new = 0
