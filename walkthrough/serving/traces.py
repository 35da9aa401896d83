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

from walkthrough.serving.workloads import CONTENT_SIZE, Lengths

COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]
LONGEST_REQUEST = 10_000_000  # tokens; more is a slip of the pen


class TraceError(Exception):
    """A file that is no trace at all. `kind` names what is wrong, `fields` what and where."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class BrokenLine:
    """A line that was left out: its number, and which of `kind`'s faults it has."""

    line: int
    kind: Literal["encoding", "syntax", "columns", "length", "content", "cut"]
    found: str = ""


@dataclass
class Trace:
    """What a file holds."""

    form: Literal["azure", "mooncake"]
    requests: list[Lengths] = field(default_factory=list)
    broken: list[BrokenLine] = field(default_factory=list)


def read_trace(path: Path, advance: Callable[[float], None] = lambda read: None) -> Trace:
    """Read a whole file; `advance` is told how many more bytes of it have been read.

    Broken lines are kept by number, the rest is used. Raises `TraceError` where the file cannot
    be read, is of neither format, or has no request in it.
    """
    try:
        with path.open("rb") as file:
            trace = _read(file, advance)
    except OSError as error:
        raise TraceError("unreadable", path=path, reason=error.strerror or error) from error
    if trace is None:
        raise TraceError("format", path=path)
    if not trace.requests:
        raise TraceError("empty", path=path, broken=len(trace.broken))
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
                trace.broken.append(line)
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


def _lines(file: BinaryIO | gzip.GzipFile) -> Iterator[tuple[int, str | BrokenLine]]:
    """Lines with their numbers; one that is not UTF-8, or where the archive is cut, as such."""
    number = 0
    try:
        for number, raw in enumerate(file, 1):
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
        trace.broken.append(request)
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
