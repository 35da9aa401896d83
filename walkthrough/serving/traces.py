"""Recorded workloads: the Azure CSV and the Mooncake JSON-lines formats, gzipped or not.

Azure LLM inference traces: columns TIMESTAMP, ContextTokens, GeneratedTokens (Patel et al.,
"Splitwise", 2024). Mooncake: `input_length`, `output_length`, and `hash_ids`, an id for each
512 tokens of the prompt (Qin et al., "Mooncake", 2024); `timestamp` is in milliseconds. Requests
are taken in the file's order; one whose time of arrival cannot be read is kept without it.
"""

from __future__ import annotations

import csv
import gzip
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal

from walkthrough.reasons import Reason
from walkthrough.serving.workloads import CONTENT_SIZE, Lengths

COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]
LONGEST_REQUEST = 10_000_000  # tokens; more is a slip of the pen
LONGEST_LINE = 1_000_000  # bytes; the longest request has 20,000 hash_ids
MOST_LINES = 2_000_000  # a week of the Azure traces has more, and would take gigabytes
MOST_BYTES = 1 << 28  # unpacked
KEPT_BROKEN = 5  # broken lines that are kept to be named; the others are counted


class TraceError(Exception):
    """A file that is no trace at all. `kind` names what is wrong, `fields` what and where."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class BrokenLine:
    """A line that was left out: its number, and which of `kind`'s faults it has."""

    line: int
    kind: Literal["encoding", "syntax", "columns", "length", "content", "cut", "long"]
    found: str = ""


@dataclass
class Trace:
    """What a file holds."""

    form: Literal["azure", "mooncake"]
    requests: list[Lengths] = field(default_factory=list)
    broken: list[BrokenLine] = field(default_factory=list)  # the first few
    num_broken: int = 0  # all of them

    def leave_out(self, line: BrokenLine) -> None:
        """Count a broken line; keep it where it is one of the first."""
        self.num_broken += 1
        if len(self.broken) < KEPT_BROKEN:
            self.broken.append(line)


def read_trace(path: Path, advance: Callable[[float], None] = lambda read: None) -> Trace:
    """Read a whole file; `advance` is told how many more bytes of it have been read.

    Broken lines are kept by number, the rest is used. Raises `TraceError` where the file cannot
    be read, is of neither format, or has no request in it.
    """
    try:
        if path.exists() and not path.is_file():  # a device has no end, a pipe may not begin
            raise TraceError("not a file", path=path)
        with path.open("rb") as file:
            trace = _read(file, advance)
    except _TooLargeError as error:
        raise TraceError("large", path=path, lines=MOST_LINES, bytes=MOST_BYTES) from error
    except OSError as error:
        raise TraceError("unreadable", path=path, reason=Reason(error)) from error
    if trace is None:
        raise TraceError("format", path=path)
    if not trace.requests:
        raise TraceError("empty", path=path, broken=trace.num_broken)
    return trace


def _read(file: BinaryIO, advance: Callable[[float], None]) -> Trace | None:
    zipped = file.peek(2)[:2] == b"\x1f\x8b"  # type: ignore[attr-defined]
    trace: Trace | None = None
    position = 0
    for number, line in _lines(gzip.GzipFile(fileobj=file) if zipped else file):
        advance(file.tell() - position)
        position = file.tell()
        if isinstance(line, BrokenLine):
            if trace is not None:
                trace.leave_out(line)
        elif not line.strip():
            continue
        elif trace is None:
            if line.lstrip().startswith("{"):
                trace = Trace("mooncake")
                _add(trace, number, line)
            elif [column.strip() for column in line.split(",")] == COLUMNS:
                trace = Trace("azure")
            else:
                return None
        else:
            _add(trace, number, line)
    return trace


class _TooLargeError(Exception):
    """More than is read here."""


def _lines(file: BinaryIO | gzip.GzipFile) -> Iterator[tuple[int, str | BrokenLine]]:
    """Lines with their numbers; one that is not UTF-8, or too long, or cut off, as such."""
    number = total = 0
    try:
        while raw := file.readline(LONGEST_LINE + 1):
            number, total, piece = number + 1, total + len(raw), raw
            while len(piece) > LONGEST_LINE and not piece.endswith(b"\n") and total <= MOST_BYTES:
                piece = file.readline(LONGEST_LINE + 1)  # the rest of the line, to be passed over
                total += len(piece)
            if number > MOST_LINES or total > MOST_BYTES:
                raise _TooLargeError
            if len(raw) > LONGEST_LINE:
                yield number, BrokenLine(number, "long", f"{LONGEST_LINE:,}")
                continue
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                yield number, BrokenLine(number, "encoding")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield number + 1, BrokenLine(number + 1, "cut")


def _add(trace: Trace, number: int, line: str) -> None:
    read = _azure if trace.form == "azure" else _mooncake
    request = read(number, line.strip())
    if isinstance(request, BrokenLine):
        trace.leave_out(request)
    else:
        trace.requests.append(request)


def _azure(number: int, line: str) -> Lengths | BrokenLine:
    try:
        (cells,) = csv.reader([line], strict=True)
    except csv.Error:
        return BrokenLine(number, "syntax", _short(line))
    if len(cells) != len(COLUMNS):
        return BrokenLine(number, "columns", str(len(cells)))
    lengths = _lengths(number, cells[1].strip(), cells[2].strip())
    if isinstance(lengths, BrokenLine):
        return lengths
    try:
        arrival = datetime.fromisoformat(cells[0].strip()).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return lengths
    return replace(lengths, arrival=arrival)


def _mooncake(number: int, line: str) -> Lengths | BrokenLine:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return BrokenLine(number, "syntax", _short(line))
    if not isinstance(entry, dict):
        return BrokenLine(number, "syntax", _short(line))
    lengths = _lengths(number, entry.get("input_length"), entry.get("output_length"))
    if isinstance(lengths, BrokenLine):
        return lengths
    content = entry.get("hash_ids", [])
    needed = -(-lengths.prompt // CONTENT_SIZE)
    ids = isinstance(content, list) and all(type(i) is int and i >= 0 for i in content)
    if not ids or len(content) not in (0, needed):
        found = len(content) if ids else _short(json.dumps(content))
        return BrokenLine(number, "content", str(found))
    time, arrival = entry.get("timestamp"), None
    if isinstance(time, int | float) and not isinstance(time, bool) and abs(time) < 1e15:
        arrival = time / 1000
    return Lengths(lengths.prompt, lengths.output, tuple(content), arrival=arrival)


def _lengths(number: int, prompt: object, output: object) -> Lengths | BrokenLine:
    whole: list[int] = []
    for value in (prompt, output):
        text = str(value)
        right = type(value) in (int, str) and text.isascii() and text.isdigit()
        if not right or len(text) > 9 or not 0 < int(text) <= LONGEST_REQUEST:
            return BrokenLine(number, "length", _short(text))
        whole.append(int(text))
    return Lengths(whole[0], whole[1])


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."
