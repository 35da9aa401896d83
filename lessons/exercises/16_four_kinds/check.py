"""The lesson's request and others, against the policies and memories of the serving model."""

from walkthrough.exercises import same
from walkthrough.serving import POLICIES, ContiguousMemory, Lengths, PagedMemory, Running

MINUTES = 12
DIFFICULTY = 1
KINDS = ("tokens", "reserved", "internal")


def check(mine):
    for prompt, output in ((2, 3), (2, 1), (5, 4), (5, 5), (1, 8), (7, 9), (3, 2)):
        request = Lengths(prompt=prompt, output=output)
        stored = prompt + output - 1
        for policy in POLICIES:
            place = f"reserved_size({policy!r}, {prompt}, {output}, 64)"
            size = mine.reserved_size(policy, prompt, output, 64)
            by_hand = {
                "longest": 64,
                "power of two": prompt + next(p for p in (1, 2, 4, 8, 16) if p >= output),
                "oracle": stored,
            }
            same(place, size, by_hand[policy])
            memory = ContiguousMemory(256, 64, POLICIES[policy])
            running = Running(request, number=0, stored=prompt)
            memory.start(running)
            found = memory.slots()
            got = mine.reserved_kinds(prompt, stored, size)
            place = f"reserved_kinds({prompt}, {stored}, {size})"
            same(place, got, (found.tokens, found.reserved, found.internal), KINDS)
        for block_size in (1, 2, 4, 16):
            memory = PagedMemory(256, block_size)
            memory.start(Running(request, number=0, stored=prompt))
            found = memory.slots()
            got = mine.paged_kinds(prompt, block_size)
            place = f"paged_kinds({prompt}, {block_size})"
            same(place, got, (found.tokens, found.reserved, found.internal), KINDS)
