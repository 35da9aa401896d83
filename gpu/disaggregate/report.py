"""What two processes did beside what was to be expected, and beside one process."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as SequenceOf

from gpu.disaggregate.sides import Sent, Sizes, alone
from gpu.llama import TorchLlama
from walkthrough.reference.speed.transfer import visible_transfer

HEADS = ("request", "blocks", "sent", "kB", "prefill", "sending", "visible", "seen", "tokens")


def print_report(
    model: TorchLlama,
    sizes: Sizes,
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
    print(f"link: {rate / 1e6:,.0f} MB/s, measured; times in ms")
    print("".join(f"{head:>10}" for head in HEADS))
    status = 0
    for number, (one, prompt) in enumerate(zip(done, prompts, strict=True), start=1):
        if one.refused is not None:
            print(f"{number:>10}  refused, a prompt of {one.prompt} tokens: {one.refused}")
            status = 1
            continue
        same = one.tokens == alone(model, sizes, prompt, new)
        status = status if same else 1
        sending = one.nbytes / rate
        left = visible_transfer(one.prefill, sending, len(model.layers))
        times = (1000 * seconds for seconds in (one.prefill, sending, left, one.visible))
        cells = [number, one.blocks, one.sent, f"{one.nbytes / 1000:,.1f}"]
        cells += [*(f"{time:,.1f}" for time in times), "same" if same else "different"]
        print("".join(f"{cell!s:>10}" for cell in cells))
    return status
