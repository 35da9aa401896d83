"""`walkthrough bench`: every row is in the JSON, which another run can be set beside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from helpers.cli import assert_one_line, run_cli

from gpu.bench import BenchOptions, BenchResult, BenchRow
from walkthrough.commands.arguments import UsageError
from walkthrough.commands.bench.comparison import check_sizes, read_run, tables
from walkthrough.commands.torch_words import BENCH
from walkthrough.reference.cost import geometry

WORDS = BENCH["en"]
KEPT = {
    "device": "a card",
    "geometry": "llama2-7b",
    "tokens": 64,
    "batch": 1,
    "dtype": "float32",
    "rows": [
        {"phase": "decode", "backend": "gather", "seconds": 0.004},
        {"phase": "decode", "backend": "triton", "seconds": 0.001},
        {"phase": "prefill", "backend": "gather", "seconds": 0.5},
    ],
}


def kept(folder: Path, **changes: object) -> str:
    path = folder / "run.json"
    path.write_text(json.dumps(KEPT | changes), encoding="utf-8")
    return str(path)


def test_two_runs_side_by_side(tmp_path: Path) -> None:
    rows = [
        BenchRow("decode", "contiguous", 0.001, 1, None, None, 1, False),
        BenchRow("decode", "gather", 0.002, 2, None, None, 1, False),
        BenchRow("prefill", "gather", 1.0, 2, None, None, 1, False),
    ]
    other = read_run(kept(tmp_path), WORDS)
    decode, prefill = tables(BenchResult(1, 1, 1, rows), other, WORDS)
    assert (decode.rows, decode.cells) == (["gather"], [["2.000", "4.000", "2.00"]])
    assert prefill.cells == [["1000.000", "500.000", "0.50"]]


def test_runs_of_other_sizes_are_not_compared(tmp_path: Path) -> None:
    asked = BenchOptions(
        torch.device("cpu"), geometry("llama2-7b"), 64, 1, "float32", 16, ("gather",), 1
    )
    check_sizes(read_run(kept(tmp_path), WORDS), asked, "llama2-7b", WORDS)
    for name, value in (("tokens", 65), ("batch", 8), ("dtype", "float16"), ("geometry", "x")):
        with pytest.raises(UsageError, match=name):
            check_sizes(read_run(kept(tmp_path, **{name: value}), WORDS), asked, "llama2-7b", WORDS)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"rows": 1}', json.dumps(KEPT | {"rows": []}), "\0", "[" * 100_000]
    + [
        json.dumps(KEPT | {"rows": [{"phase": "decode", "backend": "gather", "seconds": s}]})
        for s in (0, -1, "x", None, 1e400)
    ],
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"is not what bench --json prints"):
        read_run(str(path), WORDS)


def test_what_cannot_be_compared_is_said_before_anything_is_timed(tmp_path: Path) -> None:
    done = run_cli("bench", "--compare", str(tmp_path / "none.json"), "--lang", "en")
    assert_one_line(done, 2, "cannot read", "none.json")
    done = run_cli("bench", "--json", "--compare", kept(tmp_path), "--lang", "en")
    assert_one_line(done, 2, "--json, --compare")


@pytest.mark.slow
def test_json_from_the_command() -> None:
    small = ("--tokens", "32", "--runs", "1", "--geometry", "smollm2-135m")
    done = run_cli("bench", "--json", *small, "--backend", "gather")
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    assert found["geometry"] == "smollm2-135m"
    assert len(found["rows"]) == 6
