"""Serving requests with a real model: the scheduler decides, the engine computes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.paging.scheduler import Scheduler, Step
from walkthrough.reference.model import Model, forward_cached
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks
from walkthrough.reference.work import Work


def serve(
    model: Model,
    scheduler: Scheduler,
    storage: PagedStorage,
    host: PagedStorage | None = None,
    work: Work | None = None,
) -> Iterator[Step]:
    """Run steps until every request is finished, greedily; yields each step after it is done."""
    while scheduler.waiting or scheduler.running:
        step = scheduler.schedule()
        if host is not None:
            move_blocks(storage, host, step.swap_out)
            move_blocks(host, storage, step.swap_in)
        for request, token_ids in step.feed:
            assert request.sequence is not None
            cache = PagedCache(storage, request.sequence)
            cache.fed(len(token_ids))
            logits = forward_cached(model, token_ids, cache, work)
            if len(request.sequence) < len(request.token_ids):
                scheduler.advance(request, None)  # more of the prompt is still to come
                continue
            token = int(np.argmax(logits[-1]))
            scheduler.advance(request, token, done=token == model.eos)
        yield step
