"""`walkthrough simulate`: over trace files and over workloads that are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run_cli
from helpers.traces import AZURE, line, write

from walkthrough.commands import simulate
from walkthrough.serving.traces import KEPT_BROKEN


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
    assert len(errors) == KEPT_BROKEN + 1
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
        (["--trace", "."], ". is not an ordinary file"),
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
