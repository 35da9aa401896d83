"""Prefill in one process, decode in another, and what that takes beside what it should take.

    python -m gpu.disaggregate [--model NAME] [--layers N] [--tokens N] [--requests N] …
    torchrun --nproc-per-node 2 -m gpu.disaggregate …

The first starts both processes itself. Exit status: 0 as in one process, 1 a request was refused or
something differs, 2 wrong use, 3 the other process is gone.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from walkthrough.installation import install_command

USAGE, LOST = 2, 3
LIMITS = {"layers": 128, "tokens": 100_000, "requests": 100, "new_tokens": 1000}
LIMITS |= {"block_size": 4096, "blocks": 1_000_000, "seed": 10**9}
DEFAULTS = {"layers": 6, "tokens": 512, "requests": 3, "new_tokens": 8}
DEFAULTS |= {"block_size": 16, "blocks": 0, "seed": 0}
HELP = {
    "layers": "layers of the model",
    "tokens": "tokens of each prompt",
    "requests": "prompts; of three, the second begins like the first, the third is the first again",
    "new_tokens": "tokens to decode behind each",
    "block_size": "slots in a block",
    "blocks": "blocks of the receiver's pool; 0: as many as are needed",
    "seed": "seed of the weights and prompts",
}


class OneSentence(argparse.ArgumentParser):
    """Says what is wrong, and nothing else."""

    def error(self, message: str) -> NoReturn:
        """Status 2."""
        self.exit(USAGE, f"{message}\n")


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = OneSentence(
        "python -m gpu.disaggregate", description="Prefill in one process, decode in another."
    )
    options.add_argument("--model", default="smollm2-135m", metavar="NAME", help="whose sizes")
    for name, default in DEFAULTS.items():
        flag = f"--{name.replace('_', '-')}"
        options.add_argument(
            flag, type=int, default=default, metavar="N", help=f"{HELP[name]} (default {default})"
        )
    options.add_argument(
        "--timeout",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="how long one process waits for the other (default 60)",
    )
    options.add_argument("--meet", default="env://", help=argparse.SUPPRESS)
    return options


def checked(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, or one sentence and status 2."""
    options = parser()
    found = options.parse_args(arguments)
    for name, most in LIMITS.items():
        least = 0 if name in ("blocks", "seed") else 1
        if not least <= getattr(found, name) <= most:
            flag = f"--{name.replace('_', '-')}"
            options.error(f"{flag} must be from {least} to {most}, got {getattr(found, name)}")
    if not 0 < found.timeout <= 86_400:
        options.error(f"--timeout must be more than 0 and at most 86400, got {found.timeout:g}")
    if find_spec("torch") is None:
        options.error(f"this needs torch; install it with: {install_command('gpu')}")
    from walkthrough.reference.speed.shapes import SHAPES

    known = [name for name, shape in SHAPES.items() if shape.geometry.latent is None]
    if found.model not in known:
        options.error(f"unknown model {found.model!r}; known: {', '.join(known)}")
    return found


def take_part(options: argparse.Namespace, rank: int) -> int:
    """One of the two processes."""
    import torch

    from gpu.disaggregate import session
    from gpu.disaggregate.link import GlooLink, PeerError
    from gpu.memory import NotEnoughMemoryError

    torch.set_num_threads(1)  # the other one computes, too; and both alike
    own = vars(options).copy()
    timeout, meet = own.pop("timeout"), own.pop("meet")
    asked = session.HandoverOptions(**own)
    try:
        link = GlooLink(rank, meet, timeout)
        if rank:
            session.decode(link, asked)
            report = session.HandoverReport()
        else:
            report = session.prefill(link, asked)
            session.say_report(report, asked, lambda line: print(line, flush=True))
        link.close()
    except PeerError as error:
        print(f"{error}; nothing is lost here: its blocks are free", file=sys.stderr)
        return LOST
    except session.DisagreementError as error:
        print(error, file=sys.stderr)
        return USAGE
    except NotEnoughMemoryError as error:
        print(f"not enough memory: {error}", file=sys.stderr)
        return 1
    return 1 if report.problems else 0


def start_both(arguments: Sequence[str], timeout: float) -> int:
    """Start the two processes, and end what is left of them when one has failed."""
    with tempfile.TemporaryDirectory() as folder:
        meet = f"--meet={Path(folder, 'meeting').as_uri()}"
        command = [sys.executable, "-m", "gpu.disaggregate", *arguments, meet]
        both = [subprocess.Popen(command, env=surroundings(os.environ, rank)) for rank in range(2)]
        try:
            patience = None
            while any(process.poll() is None for process in both):
                if any(process.returncode for process in both):  # one has failed
                    patience = patience or time.monotonic() + timeout
                    if time.monotonic() > patience:
                        break
                time.sleep(0.02)
        finally:
            for process in both:
                process.kill()  # which does nothing to one that has ended
                process.wait()
    statuses = [LOST if process.returncode < 0 else process.returncode for process in both]
    return next((status for status in statuses if status not in (0, LOST)), max(statuses))


def surroundings(environment: Mapping[str, str], rank: int) -> dict[str, str]:
    """The environment of one of the two: who it is, and that they are on one machine."""
    own = {**environment, "RANK": str(rank), "WORLD_SIZE": "2"}
    names = {name for _, name in socket.if_nameindex()} if hasattr(socket, "if_nameindex") else ()
    if loopback := next((name for name in ("lo", "lo0") if name in names), None):
        own.setdefault("GLOO_SOCKET_IFNAME", loopback)
    return own


def main(arguments: Sequence[str]) -> int:
    """Start both, or be one of them where something else has started both."""
    options = checked(arguments)
    if "WORLD_SIZE" not in os.environ:
        return start_both(arguments, options.timeout)
    if os.environ["WORLD_SIZE"] != "2":
        print(f"it takes 2 processes, not {os.environ['WORLD_SIZE']}", file=sys.stderr)
        return USAGE
    return take_part(options, int(os.environ["RANK"]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
