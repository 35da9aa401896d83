"""Two processes: one computes prompts, the other goes on from the blocks that it is sent.

    python -m gpu.disaggregate                        starts both on this computer
    torchrun --nproc-per-node 2 -m gpu.disaggregate   as torchrun starts them, also on two

Prints, for each request, how many blocks were sent, how long that took beside the prediction, and
whether the tokens are those of one process. Exit status 1 where they are not, where a request
finds no room, or where a process is gone.
"""

from __future__ import annotations

import argparse
import math
import os
import socket
import subprocess
import sys
import time
import zlib
from collections.abc import Sequence as SequenceOf
from pathlib import Path
from typing import Any

import numpy as np

MEETING = "127.0.0.1"


def parse(arguments: SequenceOf[str]) -> argparse.Namespace:
    """The options; argparse leaves with status 2 where they cannot be."""

    def at_least(least: int) -> Any:
        def number(text: str) -> int:
            if (value := int(text)) < least:
                raise ValueError
            return value

        number.__name__ = f"whole number from {least}"
        return number

    parser = argparse.ArgumentParser(
        prog="python -m gpu.disaggregate",
        description="Prefill in one process, decode in another; blocks are sent layer by layer.",
    )
    parser.add_argument("--gguf", type=Path, metavar="FILE", help="a llama; else random weights")
    for name, least, default, text in (
        ("requests", 1, 3, "prompts, one after the other (3)"),
        ("prompt", 1, 96, "tokens of a prompt (96)"),
        ("common", 0, 48, "of these, the same in all prompts (48)"),
        ("new", 1, 8, "tokens that each gets (8)"),
        ("block-size", 1, 16, "slots in a block (16)"),
        ("blocks", 2, None, "blocks of the receiver's pool (as many as needed)"),
        ("timeout", 1, 60, "seconds to wait for the other process (60)"),
    ):
        kind = at_least(least)
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=text)
    return parser.parse_args(arguments)


def start_both(arguments: SequenceOf[str]) -> int:
    """Start both ranks; where one fails, the other does not wait for it."""
    with socket.socket() as free:
        free.bind((MEETING, 0))
        port = str(free.getsockname()[1])
    meeting = {"MASTER_ADDR": MEETING, "MASTER_PORT": port, "WORLD_SIZE": "2"}
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "gpu.disaggregate", *arguments],
            env=os.environ | meeting | {"RANK": rank, "LOCAL_RANK": rank},
        )
        for rank in ("0", "1")
    ]
    try:
        until = math.inf  # when one has failed: a moment for the other to say what it saw
        while any(rank.poll() is None for rank in ranks) and time.monotonic() < until:
            if until == math.inf and any(rank.poll() for rank in ranks):
                until = time.monotonic() + 10
            time.sleep(0.02)
    except KeyboardInterrupt:
        return 130
    finally:
        for rank in ranks:
            if rank.poll() is None:
                rank.terminate()
            rank.wait()
    statuses: list[int] = [abs(rank.returncode) for rank in ranks]
    return max(statuses)


def run(options: argparse.Namespace) -> int:
    """One rank's part."""
    import torch

    from gpu.disaggregate.link import DECODE, PREFILL, bandwidth, joined
    from gpu.disaggregate.model import model_for
    from gpu.disaggregate.sides import DecodeSide, PrefillSide, Sizes, agree

    torch.set_num_threads(1)  # two processes on one computer
    model = model_for(options.gguf)
    rng = np.random.default_rng(0)
    common = rng.integers(0, model.vocabulary, min(options.common, options.prompt)).tolist()
    prompts = [
        [*common, *rng.integers(0, model.vocabulary, options.prompt - len(common)).tolist()]
        for _ in range(options.requests)
    ]
    needed = -(-(options.prompt + options.new) // options.block_size) + 1
    room = Sizes(options.block_size, needed)
    with joined(options.timeout) as rank:
        rate = bandwidth(rank)
        asked = {name: getattr(options, name) for name in ("requests", "prompt", "common", "new")}
        weights = zlib.crc32(model.embedding.numpy().tobytes())
        agree(asked | {"the model's checksum": weights}, DECODE if rank == PREFILL else PREFILL)
        if rank == PREFILL:
            PrefillSide(model, room).serve(prompts)
            return 0
        from gpu.disaggregate.report import print_report

        assert rank == DECODE
        side = DecodeSide(model, Sizes(options.block_size, options.blocks or 4 * needed))
        return print_report(model, room, side.serve(options.new), prompts, options.new, rate)


def main(arguments: SequenceOf[str]) -> int:
    """Both processes, or one of them where somebody has started them."""
    options = parse(arguments)
    if "WORLD_SIZE" not in os.environ:
        return start_both(arguments)
    from gpu.disaggregate.link import LinkError
    from gpu.disaggregate.model import ModelError

    try:
        return run(options)
    except LinkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ModelError as error:
        if os.environ.get("RANK") == "0":  # both have met with the same
            print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
