"""Trace files, right and wrong."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path

import pytest
from helpers.traces import AZURE, line, write

from walkthrough.serving import traces
from walkthrough.serving.traces import BrokenLine, TraceError, read_trace
from walkthrough.serving.workloads import Lengths


@pytest.mark.parametrize("zipped", [False, True])
def test_both_formats_zipped_or_not(tmp_path: Path, zipped: bool) -> None:
    azure = read_trace(write(tmp_path / "a", AZURE + "2023,374,44\n2023,1,2\n", zipped))
    assert azure.form == "azure"
    assert azure.requests == [Lengths(374, 44), Lengths(1, 2)]
    mooncake = read_trace(write(tmp_path / "m", line() + "\n" + line(512, 1, [7]), zipped))
    assert mooncake.form == "mooncake"
    assert mooncake.requests == [Lengths(600, 3, (1, 2)), Lengths(512, 1, (7,))]
    assert not azure.broken and not mooncake.broken


def test_times_of_arrival_in_seconds_where_they_can_be_read(tmp_path: Path) -> None:
    rows = "2023-11-16 18:17:03.9799600,3,4\n2023,3,4\n2023-11-16 18:17:04.0799600,3,4\n"
    first, unknown, last = read_trace(write(tmp_path / "a", AZURE + rows)).requests
    assert first.arrival is not None and last.arrival is not None and unknown.arrival is None
    assert last.arrival - first.arrival == pytest.approx(0.1, abs=1e-6)
    times = ["250", "1.5", "null", '"3"', "true", "NaN", "1e999"]
    text = "".join(
        f'{{"timestamp": {time}, "input_length": 1, "output_length": 1}}\n' for time in times
    )
    found = [request.arrival for request in read_trace(write(tmp_path / "m", text)).requests]
    assert found == [0.25, 0.0015, None, None, None, None, None]


def test_byte_order_mark_line_ends_and_empty_lines(tmp_path: Path) -> None:
    text = "\ufeff" + AZURE.replace("\n", "\r\n") + "\r\n2023,3,4\r\n\r\n"
    assert read_trace(write(tmp_path / "a", text)).requests == [Lengths(3, 4)]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        ("2023,1\n", "columns", "2"),
        ("2023,one,2\n", "length", "one"),
        ("2023,0,2\n", "length", "0"),
        ("2023,-5,2\n", "length", "-5"),
        ("2023,1.5,2\n", "length", "1.5"),
        ("2023,12345678901,2\n", "length", "12345678901"),
        ('"2023,1,2\n', "syntax", '"2023,1,2'),
        (b"2023,\xff,2\n", "encoding", ""),
    ],
)
def test_broken_azure_lines_are_named_and_the_rest_is_used(
    tmp_path: Path, text: str | bytes, kind: str, found: str
) -> None:
    raw = text.encode() if isinstance(text, str) else text
    trace = read_trace(write(tmp_path / "a", AZURE.encode() + b"2023,3,4\n" + raw + b"2023,5,6\n"))
    assert trace.requests == [Lengths(3, 4), Lengths(5, 6)]
    assert trace.broken == [BrokenLine(3, kind, found)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{", "syntax"),
        ("[1, 2]", "syntax"),
        ("[" * 100_000, "syntax"),
        (line(prompt="600.0"), "length"),
        (line(prompt=None), "length"),
        (line(output=True), "length"),
        (line(ids=[1]), "content"),
        (line(ids=[1, "2"]), "content"),
        (line(ids=[1, -2]), "content"),
        (line(ids="12"), "content"),
    ],
)
def test_broken_mooncake_lines(tmp_path: Path, text: str, kind: str) -> None:
    trace = read_trace(write(tmp_path / "m", line() + "\n" + text + "\n" + line() + "\n"))
    assert len(trace.requests) == 2
    assert [(broken.line, broken.kind) for broken in trace.broken] == [(2, kind)]


def test_an_archive_that_is_cut_gives_what_was_there(tmp_path: Path) -> None:
    whole = gzip.compress((AZURE + "".join(f"2023,{n},{n * n}\n" for n in range(1, 999))).encode())
    trace = read_trace(write(tmp_path / "a.gz", whole[: len(whole) // 2]))
    assert len(trace.requests) > 100
    assert [broken.kind for broken in trace.broken][-1] == "cut"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("", "format"), ("a,b,c\n1,2,3\n", "format"), (b"\x00\x01\x02", "format"), (AZURE, "empty")],
)
def test_files_that_are_no_traces(tmp_path: Path, text: str | bytes, kind: str) -> None:
    with pytest.raises(TraceError) as caught:
        read_trace(write(tmp_path / "a", text))
    assert caught.value.kind == kind


def test_lines_are_read_up_to_a_length_and_broken_ones_counted(tmp_path: Path) -> None:
    row = b"2023,3,4\n"
    long = b"x" * (2 * traces.LONGEST_LINE + 7) + b"\n"
    trace = read_trace(write(tmp_path / "a", AZURE.encode() + row + long + row + b"2023,1\n" * 90))
    assert trace.requests == [Lengths(3, 4)] * 2
    assert trace.broken[0] == BrokenLine(3, "long", "1,000,000")
    assert [broken.line for broken in trace.broken[1:]] == [5, 6, 7, 8]
    assert trace.num_broken == 91
    exact = (b" " * (traces.LONGEST_LINE - len(row))) + row
    assert not read_trace(write(tmp_path / "b", AZURE.encode() + exact)).num_broken


@pytest.mark.parametrize("content", [b"x" * 1_000_000, (b"2023,1,2\n" * 100_000)])
def test_an_archive_that_unpacks_without_end_takes_no_memory(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces, "MOST_BYTES", 20_000_000)
    monkeypatch.setattr(traces, "MOST_LINES", 20_000)
    with gzip.open(tmp_path / "a.gz", "wb", compresslevel=1) as file:
        file.write(AZURE.encode() + b"2023,3,4\n")
        for _ in range(30):
            file.write(content)
    tracemalloc.start()
    with pytest.raises(TraceError) as caught:
        read_trace(tmp_path / "a.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert caught.value.kind == "large"
    assert peak < 20_000_000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_pipes_devices_and_folders_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(TraceError) as caught:
            read_trace(path)
        assert caught.value.kind == "not a file"
