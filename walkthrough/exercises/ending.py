"""Ending a process for good: with its children, and undisturbed by who is being ended oneself."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

PAUSE = 0.01
MARK = "WALKTHROUGH_CHECK"  # in the environment of the process and of its children


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Ctrl-C and the signals that end a program wait until this is done."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a process that leads a group of its own, and all that carry its mark."""
    if os.name == "nt":
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
        process.wait()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    # Children that have left the group. One that is just starting another program cannot be told
    # for a moment, so where it did not end by itself, none must be seen twice.
    unseen, enough = 0, 1 if process.returncode == 0 else 2
    for _ in range(50):
        strays = _strays(mark)
        unseen = 0 if strays else unseen + 1
        if unseen == enough:
            return
        enough = 2
        for stray in strays:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(stray, signal.SIGKILL)
        time.sleep(3 * PAUSE)


def _strays(mark: str) -> list[int]:
    """Processes that carry the mark in their environment, where the system tells (Linux)."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
    return found
