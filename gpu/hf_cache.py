"""The blocks as a cache of Hugging Face transformers: any of its models stores into them.

    model.generate(**inputs, cache=BlockCache(model.config, num_blocks=200))

A batch's rows are sequences of one pool; what beam search reorders is forked, so that beams
share the blocks of what they have in common and copy a block only when they part within it.
transformers attends over whole tensors, so `update` gathers them from the blocks each time: this
shows that blocks change no result, and what they save in memory held; it does not save time.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedConfig
from transformers.cache_utils import Cache, CacheLayerMixin

from gpu.batch import pack
from gpu.storage import PagedStorage, Slots
from walkthrough.paging.block_pool import BlockPool, OutOfBlocksError
from walkthrough.paging.sequence import Copy, Sequence


class BlockCache(Cache):
    """K and V of all layers and rows of a batch in the blocks of one pool.

    The sizes are read from the model's configuration. Raises `OutOfBlocksError` where the pool
    has no block left.
    """

    def __init__(
        self,
        config: PreTrainedConfig,
        num_blocks: int,
        block_size: int = 16,
        *,
        dtype: torch.dtype = torch.float32,
        device: str | torch.device = "cpu",
    ) -> None:
        text = config.get_text_config(decoder=True)
        d_k = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        self.pool = BlockPool(num_blocks + 1)  # one is the null block
        with torch.inference_mode(False):  # so that what is made there can be written elsewhere
            self.storage = PagedStorage(
                num_blocks + 1,
                block_size,
                d_k,
                layers=text.num_hidden_layers,
                h_kv=getattr(text, "num_key_value_heads", None) or text.num_attention_heads,
                dtype=dtype,
                device=device,
            )
        self.sequences: list[Sequence] = []  # a row of the batch each
        self._slots: Slots | None = None  # of the tokens that are being fed
        super().__init__(layers=[_Layer(self, i) for i in range(text.num_hidden_layers)])

    @property
    def blocks_in_use(self) -> int:
        """How many blocks hold something."""
        return self.pool.num_used_blocks

    def slots(self, batch: int, start: int, end: int) -> Slots:
        """Where the tokens of positions start … end − 1 go; the first layer to ask takes room."""
        if not self.sequences:
            self.sequences = [Sequence(self.pool, self.storage.block_size) for _ in range(batch)]
        if len(self.sequences) != batch:
            raise ValueError(f"the batch has {batch} rows, the cache {len(self.sequences)}")
        if end > len(self.sequences[0]):
            copies: list[Copy] = []
            try:
                for sequence in self.sequences:
                    copies += sequence.append([0] * (end - start))  # which tokens: no matter here
            except OutOfBlocksError:
                self.storage.copy_blocks(copies)  # into blocks that their rows keep
                self.take_back(start)
                raise
            self.storage.copy_blocks(copies)
            self._slots = None
        if self._slots is None:
            mapping = [slot for one in self.sequences for slot in one.slot_mapping(start)]
            self._slots = self.storage.locate(mapping)
        return self._slots

    def rows(self, pool: Tensor, length: int) -> Tensor:
        """Rows of one layer, gathered: (blocks, block_size, h_kv, d_k) → (batch, h_kv, m, d_k)."""
        table = pack([sequence.block_table for sequence in self.sequences]).long()
        rows = pool[table.to(pool.device)].flatten(1, 2)[:, :length]  # (batch, m, h_kv, d_k)
        return rows.transpose(1, 2)

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Row i goes on from what row beam_idx[i] was: a fork of it."""
        self.batch_select_indices(beam_idx)

    def batch_select_indices(self, indices: Tensor) -> None:
        """Rows as chosen, some perhaps several times, some not at all; none where all are empty."""
        if not self.get_seq_length():
            return
        if not torch.is_grad_enabled():
            self._forget_gradients()
        chosen = torch.arange(len(self.sequences))[indices.cpu()].tolist()
        kept = [self.sequences[i].fork() for i in chosen]
        for sequence in self.sequences:
            sequence.free()
        self.sequences, self._slots = kept, None

    def _forget_gradients(self) -> None:
        """What is stored has no part in a backward pass any more, as what is computed without."""
        if self.storage.K.requires_grad or self.storage.V.requires_grad:
            with torch.inference_mode(False):
                self.storage.K, self.storage.V = self.storage.K.detach(), self.storage.V.detach()

    def batch_repeat_interleave(self, repeats: int) -> None:
        """Each row `repeats` times, one behind the other."""
        self.batch_select_indices(torch.arange(len(self.sequences)).repeat_interleave(repeats))

    def crop(self, tokens_to_remove: int) -> None:
        """Take back the last tokens of every row, whose number is given as −n; at the most all."""
        if tokens_to_remove > 0:  # the older way, in which it was the length to be left
            raise ValueError(f"crop takes the number of tokens as −n, got {tokens_to_remove}")
        if not torch.is_grad_enabled():
            self._forget_gradients()
        for sequence in self.sequences:
            sequence.truncate(max(0, len(sequence) + tokens_to_remove))
        for layer in self.layers:
            layer.length = max(0, layer.length + tokens_to_remove)
        self._slots = None

    def take_back(self, start: int) -> None:
        """Every row and layer as before the tokens from a position on, which are not stored."""
        for sequence in self.sequences:
            sequence.truncate(min(len(sequence), start))
        if start == 0:
            self.sequences = []
        for layer in self.layers:
            layer.length = min(layer.length, start)
        self._slots = None

    def reset(self) -> None:
        """Empty again: all blocks are given back."""
        for sequence in self.sequences:
            sequence.free()
        self.sequences, self._slots = [], None
        self._forget_gradients()
        for layer in self.layers:
            layer.length = 0


class _Layer(CacheLayerMixin):
    """One layer's view, as transformers asks for it."""

    is_sliding = False  # all is kept; a model's sliding window is in its mask
    is_croppable = True

    def __init__(self, cache: BlockCache, layer: int) -> None:
        super().__init__()
        self.cache, self.layer, self.length = cache, layer, 0
        self.is_initialized = True

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        """Nothing is left to do."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Store the new rows, (batch, h_kv, n, d_k); returns all: (batch, h_kv, m, d_k) each."""
        batch, _, n, _ = key_states.shape
        if not torch.is_grad_enabled():
            self.cache._forget_gradients()
        slots = self.cache.slots(batch, self.length, self.length + n)
        storage = self.cache.storage
        flat = (rows.transpose(1, 2).flatten(0, 1) for rows in (key_states, value_states))
        try:
            storage.write(self.layer, slots, *flat)  # (batch · n, h_kv, d_k) each
        except ValueError:
            self.cache.take_back(self.length)
            raise
        self.length += n
        return (
            self.cache.rows(storage.K[self.layer], self.length),
            self.cache.rows(storage.V[self.layer], self.length),
        )

    def get_seq_length(self) -> int:
        """Tokens stored in this layer."""
        return self.length

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """How many keys a mask is about, and at which position they begin."""
        return self.length + query_length, 0

    def get_max_length(self) -> int:
        """No bound but the pool's."""
        return -1
