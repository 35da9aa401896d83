"""Reading what a process prints, with a bound on what is kept."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from typing import IO


class Reader:
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
        with contextlib.suppress(OSError), self.stream:
            while piece := os.read(self.stream.fileno(), 2**16):
                total += len(piece)
                self._kept += piece[: max(0, self._keep - len(self._kept))]
                if total > self._loudest:
                    self.too_much.set()

    def close(self) -> None:
        """Wait for the end, which has come, unless a child that left the group can still write."""
        self._thread.join(timeout=1)

    def text(self) -> str:
        """What is kept."""
        return self._kept.decode("utf-8", "replace").replace("\r\n", "\n")

    def printable(self) -> str:
        """What is kept, without what would move a terminal's cursor."""
        return re.sub(r"[^\n -~\u00a0-\U0010ffff]", "·", self.text().expandtabs())
