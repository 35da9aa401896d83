"""Single steps, then whole timetables against the reference's scheduler."""

import random

from walkthrough.exercises import same
from walkthrough.paging import BlockPool, Scheduler

MINUTES = 25
DIFFICULTY = 3


def expected(requests, budget, max_running):
    scheduler = Scheduler(BlockPool(1000), 4, token_budget=budget, max_running=max_running)
    for name, prompt, new in requests:
        scheduler.submit(name, [0] * prompt, new)
    steps = []
    while scheduler.waiting or scheduler.running:
        step = scheduler.schedule()
        for request, _ in step.feed:
            whole = len(request.sequence) == len(request.token_ids)
            scheduler.advance(request, 0 if whole else None)
        steps.append({request.name: len(tokens) for request, tokens in step.feed})
    return steps


def check(mine):
    for running, waiting, budget, most, step in (
        ([], [("A", 2), ("B", 2)], 16, 1, {"A": 2}),
        ([("A", 1)], [("B", 12)], 5, 2, {"A": 1, "B": 4}),
        ([("A", 1), ("B", 1), ("C", 1)], [("D", 1)], 2, 9, {"A": 1, "B": 1}),
        ([("A", 7)], [("B", 1)], 7, 9, {"A": 7}),
        ([("A", 3), ("B", 3)], [("C", 3), ("D", 3)], 9, 3, {"A": 3, "B": 3, "C": 3}),
        ([("A", 5), ("B", 5)], [], 4, 9, {"A": 4}),
        ([("A", 1), ("B", 1)], [("C", 1)], 9, 2, {"A": 1, "B": 1}),
        ([], [], 9, 2, {}),
    ):
        place = f"schedule({running}, {waiting}, {budget}, {most})"
        same(place, mine.schedule(list(running), list(waiting), budget, most), step)
    cases = [
        ([("A", 2, 2), ("B", 2, 7), ("C", 2, 3), ("D", 2, 4)], 16, 2),
        ([("short", 2, 6), ("long", 12, 3)], 5, 100),
        ([("only", 9, 1)], 4, 1),
    ]
    chance = random.Random(0)
    for _ in range(15):
        count = chance.randrange(1, 5)
        requests = [(n, chance.randrange(1, 9), chance.randrange(1, 6)) for n in "ABCD"[:count]]
        cases.append((requests, chance.randrange(1, 9), chance.randrange(1, 4)))
    for requests, budget, most in cases:
        steps = mine.timetable(list(requests), budget, most)
        place = f"timetable({requests}, {budget}, {most})"
        want = expected(requests, budget, most)
        for number, (got, step) in enumerate(zip(steps, want, strict=False), start=1):
            same(f"{place}, step {number}", got, step)
        same(f"len({place})", len(steps), len(want))
