"""The same paged cache in torch: block tables from `walkthrough.paging`, K and V on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from gpu.attention import BACKENDS as BACKENDS
    from gpu.attention import Backend as Backend
    from gpu.attention import make_backend as make_backend
    from gpu.attention import why_not as why_not
    from gpu.attention.gather import Gather as Gather
    from gpu.attention.launches import decode_launch as decode_launch
    from gpu.batch import Batch as Batch
    from gpu.batch import from_table as from_table
    from gpu.batch import make_batch as make_batch
    from gpu.cache import BatchCache as BatchCache
    from gpu.cache import PagedCache as PagedCache
    from gpu.hf_cache import BlockCache as BlockCache
    from gpu.llama import TorchLlama as TorchLlama
    from gpu.storage import PagedStorage as PagedStorage
    from gpu.storage import move_blocks as move_blocks
    from gpu.verification.cards import CARDS as CARDS
    from gpu.verification.cards import blocks_at_once as blocks_at_once
    from gpu.verification.compare import TOLERANCES as TOLERANCES
    from gpu.verification.compare import worst_output as worst_output

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
