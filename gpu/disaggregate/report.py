"""What two processes did beside what was to be expected, and beside one process."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from collections.abc import Sequence as SequenceOf

from gpu.disaggregate.sides import Sent, Sizes, alone
from gpu.llama import TorchLlama
from walkthrough.display.screen import Screen
from walkthrough.display.table import Table
from walkthrough.reference.speed.transfer import visible_transfer

COLUMNS = ["blocks", "sent", "kB", "prefill", "sending", "visible", "seen", "tokens"]


def report(
    model: TorchLlama,
    room: Sizes,
    requests: Iterable[Sent],
    prompts: SequenceOf[list[int]],
    new: int,
    rate: float,
) -> int:
    """Print a line a request; 1 where tokens differ or a request was refused.

    sending: bytes over the measured rate of the link; visible: what should be left of it when the
    prefill is done; seen: what was left.
    """
    done = list(requests)  # compared only when nobody waits any more
    screen, status, cells = Screen(sys.stdout, precision=1), 0, list[list[float | str]]()
    for one, prompt in zip(done, prompts, strict=True):
        if one.refused is not None:
            screen.text(f"refused, a prompt of {one.prompt} tokens: {one.refused}")
            status = 1
            continue
        same = one.tokens == alone(model, room, prompt, new)
        status = status if same else 1
        sending = one.nbytes / rate
        left = visible_transfer(one.prefill, sending, len(model.layers))
        cells.append(
            [
                one.blocks,
                one.sent,
                one.nbytes / 1000,
                *(1000 * seconds for seconds in (one.prefill, sending, left, one.visible)),
                "same" if same else "different",
            ]
        )
    if cells:
        rows = [f"request {i + 1}" for i in range(len(cells))]
        title = f"link: {rate / 1e6:,.0f} MB/s, measured; times in ms"
        screen.table(Table(title, cells, rows=rows, cols=COLUMNS))
    return status
