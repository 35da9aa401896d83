"""Checking a file in a process of its own, which ends, with its children, when it must."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from walkthrough.exercises.checking.reader import Reader
from walkthrough.exercises.find import Exercise

SECONDS = 10.0
PAUSE = 0.01
LOUDEST = 2**20  # bytes of output after which a check is ended
KEPT = 2**14  # bytes of output that are kept to be shown


@dataclass(frozen=True)
class CheckResult:
    """What a check found. `kind` is "passed" or names a sentence that `fields` fill."""

    exercise: Exercise
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    frames: tuple[dict[str, Any], ...] = ()  # the learner's lines where an error came from
    output: str = ""  # what the learner's code printed
    shown: str = ""  # what the exercise has to show after passing
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the exercise is solved."""
        return self.kind == "passed"


class CancelledError(Exception):
    """The check was given up because `cancelled` said so."""


def run_check(
    exercise: Exercise,
    path: Path,
    *,
    seconds: float = SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> CheckResult:
    """Check a learner's file. Whatever it does, this returns within `seconds` and a little more.

    `cancelled` is asked again and again while the check runs.
    """
    if not path.is_file():  # a pipe, say, would be waited for
        return CheckResult(exercise, "missing" if not path.exists() else "unreadable",
                      {"reason": "not a file"})  # fmt: skip
    start = time.monotonic()
    mark = os.urandom(16).hex()
    process, readers = None, []
    try:
        process = _start(exercise, path.resolve(), seconds, mark)
        readers = [
            Reader(process.stdout, KEPT, LOUDEST),
            Reader(process.stderr, LOUDEST, LOUDEST),
        ]
        output, channel = readers
        kind = _wait(process, output, start + seconds, cancelled)
        if kind:
            _ask_where(process, channel)
    finally:
        if process is not None:
            _end(process)
        for reader in readers:
            reader.close()
    trace, _, text = channel.text().rpartition(mark)
    finding = _decode(text)
    if kind:
        finding = {"kind": kind, "limit": seconds if kind == "time" else LOUDEST}
    elif finding is None:
        finding = _crashed(process.returncode, seconds)
    if kind or finding["kind"] in ("crash", "ended"):
        finding["line"] = _line(trace + text, path.name)
    return CheckResult(
        exercise,
        finding.pop("kind"),
        frames=tuple(finding.pop("frames", ())),
        shown=finding.pop("shown", ""),
        fields=finding,
        output=output.printable(),
        seconds=time.monotonic() - start,
    )


def _start(exercise: Exercise, path: Path, seconds: float, mark: str) -> subprocess.Popen[bytes]:
    request = {
        "path": str(path),
        "exercise": str(exercise.folder),
        "language": exercise.language,
        "seconds": seconds,
        "mark": mark,  # stands before what was found
    }
    environment = os.environ | {
        "PYTHONIOENCODING": "utf-8:backslashreplace",
        "PYTHONUTF8": "1",
        "OMP_NUM_THREADS": "1",  # threads take time to start, and memory
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-u", "-P", "-m", __package__ + ".worker", json.dumps(request)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # what was found
        cwd=path.parent,
        env=environment,
        start_new_session=True,  # a group of its own, to be ended as a whole
    )


def _wait(
    process: subprocess.Popen[bytes],
    output: Reader,
    end: float,
    cancelled: Callable[[], bool],
) -> str:
    """Wait for it; why it has to be ended, or "" where it ended by itself."""
    while process.poll() is None:
        if output.too_much.is_set():
            return "output"
        if time.monotonic() > end:
            return "time"
        if cancelled():
            raise CancelledError
        time.sleep(PAUSE)
    return "output" if output.too_much.is_set() else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with its group: its children, but for those that have left the group.

    Such a child (setsid, start_new_session), and a process whose start Ctrl-C cuts short, go on
    without the learner's terminal. They have the same limits, so that one that computes is ended
    by the system.
    """
    if os.name == "nt":
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ask_where(process: subprocess.Popen[bytes], channel: Reader) -> None:
    """Have the process say where it is, if it still does that."""
    if hasattr(signal, "SIGUSR1"):
        process.send_signal(signal.SIGUSR1)
        for _ in range(10):
            if channel.text():
                return
            time.sleep(PAUSE)


def _decode(text: str) -> dict[str, Any] | None:
    try:
        finding = json.loads(text)
    except ValueError:
        return None
    return finding if isinstance(finding, dict) and "kind" in finding else None


def _crashed(status: int, seconds: float) -> dict[str, Any]:
    """The finding where the process ended without a word."""
    if status < 0:
        with contextlib.suppress(ValueError):
            name = signal.Signals(-status).name
            if name == "SIGXCPU":
                return {"kind": "time", "limit": seconds}
            return {"kind": "crash", "how": name}
    return {"kind": "ended", "status": status}


def _line(trace: str, name: str) -> int | None:
    """The line of the learner's file that the process's last words name."""
    found = re.search(rf'File "{re.escape(name)}", line (\d+)', trace)
    return int(found[1]) if found else None
