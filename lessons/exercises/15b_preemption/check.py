"""Who is stopped, by hand and with seed 0; then what the project's scheduler feeds again."""

import random

from walkthrough.exercises import raises, same
from walkthrough.paging import BlockPool, Scheduler

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    running = [("A", 4), ("B", 1), ("C", 2)]
    for free, needed, names in ((0, 2, ["C"]), (0, 3, ["C", "B"]), (2, 2, []), (1, 3, ["C"])):
        got = mine.victims(list(running), free, needed)
        same(f"victims({running}, {free}, {needed})", got, names)
    for requests, free, needed in ((running, 0, 4), ([("A", 4)], 0, 1), ([], 0, 1)):
        place = f"victims({requests}, {free}, {needed})"
        raises(ValueError, place, mine.victims, list(requests), free, needed)
    chance = random.Random(0)
    for prompt, output, size in (([5], [6], 2), ([1, 2, 3], [4, 5], 2), ([1, 2], [3] * 7, 4)):
        stored = len(prompt) + len(output) - 1
        for way, fed, cost in (
            ("recompute", [*prompt, *output], (stored, 0)),
            ("swap", output[-1:], (0, 2 * -(-stored // size))),
        ):
            call = f"({prompt}, {output}, {way!r}"
            same(f"fed_again{call})", mine.fed_again(list(prompt), list(output), way), fed)
            got = mine.price(list(prompt), list(output), way, size)
            same(f"price{call}, {size})", got, cost, ("computed again", "moved"))
    for way, host in (("recompute", None), ("swap", BlockPool(20))):
        scheduler = Scheduler(BlockPool(6), 2, token_budget=8, host=host)
        for name in ("first", "second", "third"):
            scheduler.submit(name, [0, 1], 7)
        stopped = set()
        while scheduler.running or scheduler.waiting:
            step = scheduler.schedule()
            for request, ids in step.feed:
                if request.name in stopped:
                    stopped.remove(request.name)
                    got = mine.fed_again(list(request.prompt), list(request.output), way)
                    same(f"fed_again of {request.name} in lesson 15, {way}", got, list(ids))
            stopped |= {request.name for request in step.preempted}
            for request, _ in step.feed:
                scheduler.advance(request, 7)
    for _ in range(20):
        requests = [(f"r{i}", chance.randrange(1, 5)) for i in range(chance.randrange(1, 6))]
        free, others = chance.randrange(3), sum(blocks for _, blocks in requests[1:])
        needed = chance.randrange(free + others + 1)
        names, left = [], free
        for name, blocks in reversed(requests):
            if left < needed:
                names.append(name)
                left += blocks
        got = mine.victims(list(requests), free, needed)
        same(f"victims({requests}, {free}, {needed}), seed 0", got, names)
