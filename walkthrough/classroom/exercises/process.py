"""Checking a file in a process of its own, which ends, with all its children, when it must."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from walkthrough.classroom.exercises.find import Exercise

SECONDS = 10.0
LOUDEST = 2**20  # bytes of output after which a check is ended
KEPT = 2**14  # bytes of output that are kept to be shown
PAUSE = 0.01
MARK = "WALKTHROUGH_CHECK"  # in the environment of the process and of its children


@dataclass(frozen=True)
class Result:
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


def run(
    exercise: Exercise,
    path: Path,
    *,
    seconds: float = SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> Result:
    """Check a learner's file. Whatever it does, this returns within `seconds` and a little more.

    `cancelled` is asked again and again while the check runs.
    """
    if not path.is_file():  # a pipe, say, would be waited for
        return Result(exercise, "missing" if not path.exists() else "unreadable",
                      {"reason": "not a file"})  # fmt: skip
    start = time.monotonic()
    mark = os.urandom(16).hex()
    process, readers = None, []
    try:
        with _undisturbed():  # started, and known to be: nothing comes between
            process = _start(exercise, path.resolve(), seconds, mark)
        readers = [
            _Reader(process.stdout, KEPT, LOUDEST),
            _Reader(process.stderr, LOUDEST, LOUDEST),
        ]
        output, channel = readers
        kind = _wait(process, output, start + seconds, cancelled)
        if kind:
            _ask_where(process, channel)
    finally:
        if process is not None:
            with _undisturbed():
                _end(process, mark)
        for reader in readers:
            reader.close()
    trace, _, text = channel.text().rpartition(mark)
    finding = _decode(text)
    if kind:
        finding = {"kind": kind, "limit": seconds if kind == "time" else LOUDEST}
    elif finding is None:
        finding = _crashed(process.returncode, seconds)
    if kind or finding["kind"] == "crash":
        finding["line"] = _line(trace + text, path.name)
    return Result(
        exercise,
        finding.pop("kind"),
        frames=tuple(finding.pop("frames", ())),
        shown=finding.pop("shown", ""),
        fields=finding,
        output=output.printable(),
        seconds=time.monotonic() - start,
    )


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
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


def _start(exercise: Exercise, path: Path, seconds: float, mark: str) -> subprocess.Popen[bytes]:
    request = {
        "path": str(path),
        "exercise": str(exercise.folder),
        "language": exercise.language,
        "seconds": seconds,
        "mark": mark,  # stands before what was found
    }
    environment = os.environ | {
        MARK: mark,
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
    output: _Reader,
    end: float,
    cancelled: Callable[[], bool],
) -> str:
    """Wait for it; why it has to be ended, or "" where it ended by itself."""
    while not _ended(process):
        if output.too_much.is_set():
            return "output"
        if time.monotonic() > end:
            return "time"
        if cancelled():
            raise CancelledError
        time.sleep(PAUSE)
    return "output" if output.too_much.is_set() else ""


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has ended; its number stays taken until `_end` has seen to its children."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, process.pid, flags) is not None


def _ask_where(process: subprocess.Popen[bytes], channel: _Reader) -> None:
    """Have the process say where it is, if it still does that."""
    if hasattr(signal, "SIGUSR1"):
        os.kill(process.pid, signal.SIGUSR1)
        for _ in range(10):
            if channel.text():
                return
            time.sleep(PAUSE)


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
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


class _Reader:
    """Reads a pipe to its end, keeps the beginning, and notices where it is too much."""

    def __init__(self, stream: IO[bytes] | None, keep: int, loudest: int) -> None:
        assert stream is not None
        self.stream, self._keep, self._loudest = stream, keep, loudest
        self.too_much = threading.Event()
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        total = 0
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self.stream.fileno(), 2**16):
                total += len(piece)
                self._kept += piece[: max(0, self._keep - len(self._kept))]
                if total > self._loudest:
                    self.too_much.set()

    def close(self) -> None:
        """Read to the end, which has come: all who could write are gone."""
        self._thread.join(timeout=1)
        if not self._thread.is_alive():
            self.stream.close()

    def text(self) -> str:
        """What is kept."""
        return self._kept.decode("utf-8", "replace").replace("\r\n", "\n")

    def printable(self) -> str:
        """What is kept, without what would move a terminal's cursor."""
        return re.sub(r"[^\n -~\u00a0-\U0010ffff]", "·", self.text().expandtabs())


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
    return {"kind": "crash", "how": f"exit {status}"}


def _line(trace: str, name: str) -> int | None:
    """The line of the learner's file that the process's last words name."""
    found = re.search(rf'File "{re.escape(name)}", line (\d+)', trace)
    return int(found[1]) if found else None
