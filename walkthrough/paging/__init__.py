"""Who owns which slots of memory: bookkeeping in plain Python, without NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.paging.block_pool import NULL_BLOCK as NULL_BLOCK
    from walkthrough.paging.block_pool import BlockPool as BlockPool
    from walkthrough.paging.block_pool import OutOfBlocksError as OutOfBlocksError
    from walkthrough.paging.buddy import BuddyAllocator as BuddyAllocator
    from walkthrough.paging.contiguous import ContiguousAllocator as ContiguousAllocator
    from walkthrough.paging.contiguous import OutOfMemoryError as OutOfMemoryError
    from walkthrough.paging.contiguous import Reservation as Reservation
    from walkthrough.paging.events import Event as Event
    from walkthrough.paging.handover import hand_over as hand_over
    from walkthrough.paging.handover import receive as receive
    from walkthrough.paging.prefix_cache import NONE_HASH as NONE_HASH
    from walkthrough.paging.prefix_cache import PrefixCache as PrefixCache
    from walkthrough.paging.scheduler import Request as Request
    from walkthrough.paging.scheduler import RequestTooLongError as RequestTooLongError
    from walkthrough.paging.scheduler import Scheduler as Scheduler
    from walkthrough.paging.sequence import Sequence as Sequence
    from walkthrough.paging.speculative import SpeculativeSequence as SpeculativeSequence
    from walkthrough.paging.swap import Swapped as Swapped
    from walkthrough.paging.swap import swap_in as swap_in
    from walkthrough.paging.swap import swap_out as swap_out
    from walkthrough.paging.window import WindowedSequence as WindowedSequence
    from walkthrough.paging.window import blocks_held as blocks_held

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
