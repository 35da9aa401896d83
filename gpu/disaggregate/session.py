"""What the two processes do from beginning to end: agree, measure the link, hand over, compare."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from statistics import median

import torch

from gpu.disaggregate.link import Peer, exchange, receive_numbers, send_numbers
from gpu.disaggregate.sides import DecodeSide, PagedSide, PrefillSide, Transfer
from gpu.llama import TorchLlama, random_llama
from gpu.storage import PagedStorage
from walkthrough.reference.speed.shapes import SHAPES
from walkthrough.reference.speed.transfer import visible_transfer

Say = Callable[[str], object]
WAYS = ("layer by layer", "at once")
MEASURED = 8 << 20  # bytes of a message that the link is measured with


class DisagreementError(Exception):
    """The two processes were not started alike."""


@dataclass(frozen=True)
class HandoverOptions:
    """What is handed over; both processes must have been told the same."""

    model: str = "smollm2-135m"
    layers: int = 6
    tokens: int = 512
    requests: int = 3
    new_tokens: int = 8
    block_size: int = 16
    blocks: int = 0  # of the receiver's pool; 0: as many as are needed
    seed: int = 0

    def prompts(self) -> list[list[int]]:
        """Of equal length: a new one, one that begins like it, one that is it again, and so on."""
        rng = random.Random(self.seed)
        prompts: list[list[int]] = []
        for i in range(self.requests):
            prompt = [rng.randrange(512) for _ in range(self.tokens)]
            if i % 3:
                shared = self.tokens if i % 3 == 2 else self.tokens // 2
                prompt[:shared] = prompts[i - i % 3][:shared]
            prompts.append(prompt)
        return prompts

    def storage(self, blocks: int = 0) -> PagedStorage:
        """A pool of so many blocks, the null block besides; 0: room for all requests."""
        g = SHAPES[self.model].geometry
        needed = self.requests * -(-(self.tokens + self.new_tokens) // self.block_size)
        count = (blocks or needed) + 1
        return PagedStorage(count, self.block_size, g.d_k, layers=self.layers, h_kv=g.h_kv)

    def llama(self) -> TorchLlama:
        """The model, the same in every process."""
        return random_llama(SHAPES[self.model], self.layers, self.seed)


@dataclass
class HandoverReport:
    """What the process for prefill has found."""

    bandwidth: float = 0.0  # bytes a second
    round_trip: float = 0.0  # seconds, of a message of one number and its answer
    rows: dict[str, list[tuple[Transfer, float]]] = field(default_factory=dict)  # with prediction
    problems: list[str] = field(default_factory=list)


def agree(link: Peer, options: HandoverOptions, storage: PagedStorage) -> None:
    """Raise `DisagreementError`, with what differs, before anything else is said."""
    _, _, size, h_kv, d_k = storage.K.shape
    own = {
        "layers": storage.layers,
        "block size": size,
        "K/V heads": h_kv,
        "d_k": d_k,
        "bytes of a number": storage.K.itemsize,
        "requests": options.requests,
        "tokens": options.tokens,
        "new tokens": options.new_tokens,
        "model and prompts": zlib.crc32(f"{options.model} {options.seed}".encode()),
    }
    theirs = exchange(link, *own.values())
    for (name, here), there in zip(own.items(), theirs, strict=True):
        if here != there:
            raise DisagreementError(
                f"the two processes disagree about {name}: {here} here, {there} there"
            )


def decode(link: Peer, options: HandoverOptions) -> None:
    """All that the process for decode does."""
    storage = options.storage(options.blocks)
    agree(link, options, storage)
    model = options.llama()
    for size in sizes_to_measure():
        link.receive(torch.empty(size, dtype=torch.uint8))
        send_numbers(link, 1)
    for _ in WAYS:
        side = DecodeSide(model, options.storage(options.blocks), link)
        for prompt in options.prompts():
            tokens, stored = side.request(prompt, options.new_tokens)
            missing = [-1] * (options.new_tokens - len(tokens))
            send_numbers(link, stored, *tokens, *missing)


def prefill(link: Peer, options: HandoverOptions) -> HandoverReport:
    """All that the process for prefill does: it has the tokens of one process to compare with."""
    report = HandoverReport()
    agree(link, options, options.storage())
    model = options.llama()
    expected, seconds = alone(model, options)
    report.bandwidth, report.round_trip = measured_link(link)
    for way in WAYS:
        side, report.rows[way] = PrefillSide(model, options.storage(), link), []
        for i, prompt in enumerate(options.prompts()):
            done = side.request(prompt, at_once=way == "at once")
            stored, *tokens = receive_numbers(link, 1 + options.new_tokens)
            sending = done.nbytes / report.bandwidth
            left = visible_transfer(seconds[i], sending, options.layers)
            predicted = report.round_trip + (sending if way == "at once" else left)
            report.rows[way].append((done, predicted))
            if problem := wrong(done, stored, tokens, expected[i]):
                report.problems.append(f"{way}, request {i + 1}: {problem}")
    return report


def wrong(done: Transfer, stored: int, tokens: list[int], expected: list[int]) -> str:
    """What is not as it is in one process, or nothing."""
    if done.refused:
        return f"{done.refused}; nothing was sent"
    if stored != done.stored:
        return "K and V of the prompt are not those that were sent"
    if -1 in tokens and tokens[: tokens.index(-1)] == expected[: tokens.index(-1)]:
        return f"no room for more than {tokens.index(-1)} of {len(tokens)} tokens"
    return "" if tokens == expected else f"the tokens are {tokens}, of one process {expected}"


def alone(model: TorchLlama, options: HandoverOptions) -> tuple[list[list[int]], list[float]]:
    """Tokens of each request in one process, and the seconds of its prefill, once warm."""
    found: list[list[int]] = []
    seconds: list[float] = []
    for _ in range(2):
        side, found, seconds = PagedSide(model, options.storage()), [], []
        for prompt in options.prompts():
            start = time.perf_counter()
            sequence, token = side.prefilled(prompt)
            seconds.append(time.perf_counter() - start)
            found.append(side.decode(sequence, token, options.new_tokens))
            sequence.free()
    return found, seconds


def sizes_to_measure() -> list[int]:
    """Bytes of each message: one of each kind to warm up, then five."""
    return [1] * 6 + [MEASURED] * 6


def measured_link(link: Peer) -> tuple[float, float]:
    """Bytes a second from here to there, and seconds of a round trip: medians of five."""
    times: list[float] = []
    for size in sizes_to_measure():
        message = torch.zeros(size, dtype=torch.uint8)
        start = time.perf_counter()
        link.send(message).wait()
        receive_numbers(link, 1)
        times.append(time.perf_counter() - start)
    round_trip, whole = median(times[1:6]), median(times[7:])
    return MEASURED / max(whole - round_trip, 1e-9), round_trip


def say_report(report: HandoverReport, options: HandoverOptions, say: Say) -> None:
    """The figures, within 80 columns; then what is wrong, or that nothing is."""
    say(
        f"A random llama of {options.model}'s sizes ({options.layers} of its layers), float32, "
        f"blocks of {options.block_size}."
    )
    say(
        f"Link: gloo, {report.bandwidth / 1e6:,.0f} MB/s with messages of {MEASURED >> 20} MiB, "
        f"round trip {1000 * report.round_trip:.2f} ms."
    )
    heads = ("tokens", "blocks", "known", "sent", "MB", "prefill ms", "visible", "predicted")
    widths = [max(len(head), 6) + 1 for head in heads]
    for way, rows in report.rows.items():
        say("")
        say(f"{way:<14}" + "".join(f"{h:>{n}}" for h, n in zip(heads, widths, strict=True)))
        for i, (done, predicted) in enumerate(rows):
            cells: SequenceOf[str] = (
                f"{done.tokens}",
                f"{done.blocks}",
                f"{done.known}",
                f"{done.blocks - done.known}",
                f"{done.nbytes / 1e6:.1f}",
                f"{1000 * done.prefill:.1f}",
                f"{1000 * done.visible:.1f}",
                f"{1000 * predicted:.1f}",
            )
            row = "".join(f"{cell:>{n}}" for cell, n in zip(cells, widths, strict=True))
            say(f"request {i + 1:<6}{row}")
    say("")
    for problem in report.problems:
        say(f"{problem[0].upper()}{problem[1:]}.")
    if not report.problems:
        say("Tokens are those of one process; K and V arrived as they were sent, to the bit.")
