"""Serving requests with a model: the scheduler decides, the engine computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from walkthrough.paging.scheduler import Scheduler, SchedulerOutput
from walkthrough.reference.batch import logits_each
from walkthrough.reference.model import LanguageModel
from walkthrough.reference.paged import PagedCache, PagedStorage, move_blocks
from walkthrough.reference.work import Array, Work


def most_likely(name: str, logits: Array) -> int:
    """The token with the largest score, whoever asks: logits (vocabulary,)."""
    return int(np.argmax(logits))


def serve(
    model: LanguageModel,
    scheduler: Scheduler,
    storage: PagedStorage,
    host: PagedStorage | None = None,
    work: Work | None = None,
    *,
    cache_type: type[PagedCache] = PagedCache,
    choose: Callable[[str, Array], int] = most_likely,
) -> Iterator[SchedulerOutput]:
    """Run steps until every request is finished; yields each step after it is done.

    All tokens of a step go through the model together. `choose` takes a request's name and its
    logits, and gives the token that comes next. Where a step fails, all that it fed is taken
    back, with all that those requests had stored: it is computed again if serving goes on. Requests
    with token ids that the model does not have leave the queue: ValueError, before the first step.
    """
    if scheduler.host is not None and host is None:
        raise ValueError("the scheduler swaps to a host pool, for which there is no storage")
    scheduler.set_vocabulary(model.vocabulary)
    while scheduler.waiting or scheduler.running:
        step = scheduler.schedule()
        if host is not None:
            move_blocks(storage, host, step.swap_out)
            move_blocks(host, storage, step.swap_in)
        caches: list[PagedCache] = []
        positions: list[range] = []
        for request, token_ids in step.feed:
            assert request.sequence is not None
            cache = cache_type(storage, request.sequence)
            cache.fed(len(token_ids))
            caches.append(cache)
            positions.append(range(len(cache.sequence) - len(token_ids), len(cache.sequence)))
        fed = [token_ids for _, token_ids in step.feed]
        try:
            logits = logits_each(model, fed, positions, caches, work)  # (requests, vocabulary)
            tokens = [
                # None: more of the prompt is still to come
                choose(request.name, row) if len(cache.sequence) == len(request.token_ids) else None
                for (request, _), cache, row in zip(step.feed, caches, logits, strict=True)
            ]
        except BaseException:  # others of the step may count on blocks that were never written
            for cache in caches:
                cache.sequence.truncate(0, written=False)
            raise
        for (request, _), token in zip(step.feed, tokens, strict=True):
            scheduler.advance(request, token, done=token == model.eos)
        yield step
