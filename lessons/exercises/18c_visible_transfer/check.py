"""Links that keep up, that fall behind and that just keep up, against the reference."""

from walkthrough.exercises import same
from walkthrough.reference import transfer

MINUTES = 15
DIFFICULTY = 2


def check(mine):
    for layers in (1, 2, 4, 32):
        for compute, send in ((4, 1), (1, 4), (2, 2), (3, 4), (0.5, 0.25)):
            call = f"({layers}, {compute}, {send})"
            got = mine.send_times(layers, compute, send)
            same(f"len(send_times{call})", len(got), layers)
            done = 0
            for i, times in enumerate(got):
                start = max(done, (i + 1) * compute)
                done = start + send
                same(f"send_times{call}[{i}]", times, (start, done))
            left = transfer.visible_transfer(layers * compute, layers * send, layers)
            same(f"visible{call}", mine.visible(layers, compute, send), left)
            got = mine.visible_at_once(layers, compute, send)
            same(f"visible_at_once{call}", got, layers * send)
