"""Trace files, right and wrong, and `walkthrough simulate` over them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from helpers.support import run_cli

from walkthrough.commands import simulate
from walkthrough.serving.traces import BrokenLine, TraceError, read_trace
from walkthrough.serving.workloads import Lengths

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n"


def write(path: Path, text: str | bytes, zipped: bool = False) -> Path:
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if zipped else data)
    return path


def line(prompt: object = 600, output: object = 3, ids: object = (1, 2)) -> str:
    return json.dumps(
        {"timestamp": 0, "input_length": prompt, "output_length": output, "hash_ids": ids}
    )


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


def test_both_languages_say_the_same_things() -> None:
    assert simulate.WORDS["ko"].keys() == simulate.WORDS["en"].keys()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_simulate_says_which_lines_are_broken_and_goes_on(tmp_path: Path, language: str) -> None:
    rows = "".join(f"2023,{50 + n % 40},{20 + n % 7}\n" for n in range(60))
    path = write(tmp_path / "t.csv", AZURE + rows + "2023,x,1\n" * 7)
    done = run_cli("simulate", "--trace", str(path), "--slots", "800", "--longest", "128",
                   "--lang", language)  # fmt: skip
    assert done.returncode == 0
    errors = done.stderr.decode().splitlines()
    assert len(errors) == simulate.BROKEN_LINES_SHOWN + 1
    assert f"{path}" in errors[0] and "62" in errors[0] and "x" in errors[0]
    assert "2" in errors[-1]
    assert "█" not in done.stdout.decode() and "##" in done.stdout.decode()


def test_simulate_shares_prefixes_where_contents_are_known(tmp_path: Path) -> None:
    text = "".join(line(1024, 5, [1, n]) + "\n" for n in range(2, 30))
    path = write(tmp_path / "t.jsonl", text)
    done = run_cli("simulate", "--trace", str(path), "--slots", "8192", "--longest", "2048",
                   "--lang", "en")  # fmt: skip
    out = done.stdout.decode()
    assert "prefixes shared" in out
    # 28 requests, 56 blocks, the first of them found 27 times
    assert "cache without end                          │  48.2" in out


def test_simulate_draws_and_shares_a_common_prefix() -> None:
    done = run_cli("simulate", "--workload", "alpaca", "--requests", "60", "--slots", "2048",
                   "--prefix", "80", "--lang", "en", "--seed", "3")  # fmt: skip
    out = " ".join(done.stdout.decode().split())
    assert done.returncode == 0
    assert "a guess" in out and "prefixes shared" in out and "Prefix sharing: 77.9 %" in out
    again = run_cli("simulate", "--workload", "alpaca", "--requests", "60", "--slots", "2048",
                    "--prefix", "80", "--lang", "en", "--seed", "3")  # fmt: skip
    assert again.stdout == done.stdout


def test_a_memory_that_is_never_full_is_said_to_be_so() -> None:
    done = run_cli("simulate", "--workload", "alpaca", "--requests", "3", "--lang", "en")
    out = " ".join(done.stdout.decode().split())
    assert done.returncode == 0
    assert "the memory was never full: contiguous, longest, contiguous, power of two" in out
    assert "where the slots are" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workload", "nothing"], "there is no workload 'nothing'; there are: sharegpt, alpaca"),
        (["--trace", "no/such/file"], "cannot read no/such/file: No such file or directory"),
        (["--trace", "."], "cannot read .: Is a directory"),
        (["--trace", "README.md"], "README.md is neither Azure CSV nor Mooncake JSON lines"),
        (["--trace", "x", "--workload", "alpaca"], "--trace and --workload do not go together"),
        (["--longest", "2"], "no request has at most 2 tokens"),
        (["--slots", "8"], "8 slots do not hold one block of 16"),
        (["--seed", "x"], "argument --seed: must be a whole number from 0 to 99999999, not 'x'"),
    ],
)
def test_what_cannot_be_simulated_is_one_line(arguments: list[str], said: str) -> None:
    done = run_cli("simulate", "--lang", "en", *arguments)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: {said}")
    assert done.stderr.count(b"\n") == 1
