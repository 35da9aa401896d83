"""`walkthrough simulate --latency`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cli import run_cli
from rich.cells import cell_len

from walkthrough.serving.latency.tables import lane
from walkthrough.serving.latency.words import WORDS

FEW = ("simulate", "--latency", "--requests", "60")


def said(*arguments: str) -> str:
    done = run_cli(*arguments)
    assert done.returncode == 0, done.stderr.decode()
    assert not done.stderr
    return done.stdout.decode()


def test_both_languages_say_the_same_things() -> None:
    assert WORDS["ko"].keys() == WORDS["en"].keys()
    for key, korean in WORDS["ko"].items():
        fields = [sorted(part.split("}")[0].split(":")[0] for part in text.split("{")[1:])
                  for text in (korean, WORDS["en"][key])]  # fmt: skip
        assert fields[0] == fields[1], key


@pytest.mark.parametrize(("language", "width"), [("ko", 60), ("ko", 80), ("en", 80), ("en", 120)])
def test_tables_are_as_wide_as_the_screen(language: str, width: int) -> None:
    out = said(*FEW, "--lang", language, "--width", str(width))
    words = WORDS[language]
    assert all(cell_len(line) <= width for line in out.splitlines())
    for name in ("prefill-first", "whole", "chunked", "disaggregated", "chunks alone"):
        assert f"\n{words[name]}" in out
    assert words["ttft.title"] in out and words["histogram"] in out
    assert "**" not in out and "{" not in out
    out.encode("cp949")
    out.replace("│", "|").replace("─", "-").replace("┼", "+").replace("×", "x").encode(
        "ascii" if language == "en" else "cp949"
    )


def test_assumptions_are_named_as_such_and_the_same_seed_gives_the_same() -> None:
    out = said(*FEW, "--lang", "en", "--efficiency", "55", "--host", "0.5", "--seed", "4")
    flat = " ".join(out.split())
    assert "reach 55 % of it, and that the host takes 0.5 ms in each step" in flat
    assert "assumptions" in flat and "a guess" in flat
    again = said(*FEW, "--lang", "en", "--efficiency", "55", "--host", "0.5", "--seed", "4")
    assert again == out


def test_one_machine_has_no_second_to_split_off() -> None:
    out = said(*FEW, "--lang", "en", "--machines", "1", "--rate", "2")
    assert "disaggregated" not in out and "chunked" in out
    assert "come at 2 a second" in " ".join(out.split())


def test_rates_stand_beside_distserves() -> None:
    out = said(*FEW, "--lang", "en", "--rates", "0.5, 20", "--workload", "sharegpt")
    rows = [line.split() for line in out.splitlines()]
    assert any(row[:3] == ["0.5", "│", "100"] for row in rows)
    assert any(row[0] == "20" and row[1] == "│" for row in rows if len(row) > 1)
    assert "2.5        │  44.9           87.3" in out
    assert "do not compare the values" in " ".join(out.split())


def test_traces_bring_their_own_times(tmp_path: Path) -> None:
    rows = "".join(f"2023-11-16 18:00:{i:02}.5,{100 + i},{5 + i % 7}\n" for i in range(60))
    path = tmp_path / "t.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + rows + "2023,7,7\n", "utf-8")
    flat = " ".join(said("simulate", "--latency", "--trace", str(path), "--lang", "en").split())
    assert "60 requests come when the trace says, 1 a second" in flat
    assert "because their times of arrival cannot be read: 1." in flat
    fast = said("simulate", "--latency", "--trace", str(path), "--rate", "50", "--lang", "en")
    assert "stretched alike so that 50 come in a second" in " ".join(fast.split())
    path = tmp_path / "m.jsonl"
    entry = {"timestamp": 250, "input_length": 600, "output_length": 1, "hash_ids": [1, 2]}
    path.write_text(json.dumps(entry) + "\n", "utf-8")
    flat = " ".join(said("simulate", "--latency", "--trace", str(path), "--lang", "en").split())
    assert "there is no prefix caching here" in flat and "longest gap" not in flat
    path.write_text(json.dumps(entry | {"output_length": 2}) + "\n", "utf-8")
    assert "longest gap" in said("simulate", "--latency", "--trace", str(path), "--lang", "en")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rate", "2"], "--rate needs --latency"),
        (["--send-whole"], "--send-whole needs --latency"),
        (["--latency", "--slots", "9"], "--latency and --slots do not go together"),
        (["--latency", "--block-size", "9"], "--latency and --block-size do not go together"),
        (["--latency", "--rate", "1", "--rates", "1,2"], "--rate and --rates do not go together"),
        (["--latency", "--rate", "nan"], "argument --rate: must be a number from 0.001 to 100000"),
        (["--latency", "--rate", "0"], "argument --rate: must be a number from 0.001 to 100000"),
        (["--latency", "--rates", "1,,2"], "argument --rates: must be numbers above 0 with commas"),
        (["--latency", "--efficiency", "101"], "argument --efficiency: must be a number from 1"),
        (["--latency", "--host", "-1"], "argument --host: "),
        (["--latency", "--machine", "a99"], "there is no machine 'a99'; there are: t4, l4, a100"),
        (["--latency", "--geometry", "llama2-70b"], "the weights of llama2-70b (138.0 GB) do not"),
        (["--latency", "--machine", "m1"], "the weights of llama3-8b (16.1 GB) do not fit"),
        (["--latency", "--prefill-machines", "2"], "to disaggregate, --prefill-machines must be"),
        (["--latency", "--workload", "x"], "there is no workload 'x'; there are: sharegpt, alpaca"),
        (["--latency", "--workload", "arxiv", "--longest", "9"], "hardly a request has at most 9"),
        (["--latency", "--workload", "arxiv", "--trace", "x"], "--trace and --workload do not go"),
    ],
)
def test_what_cannot_be_simulated_is_one_line(arguments: list[str], message: str) -> None:
    done = run_cli("simulate", "--lang", "en", *arguments)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: {message}")
    assert done.stderr.count(b"\n") == 1 and not done.stdout


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("2023,7,7\n", [], "no time of arrival can be read in "),
        ("2023-11-16 18:00:00,7,7\n", ["--longest", "9"], "hardly a request has at most 9 tokens"),
        ("2023-11-16 18:00:00,900000,7\n", [], "no request fits into this memory"),
    ],
)
def test_traces_that_cannot_be_served(
    tmp_path: Path, text: str, options: list[str], message: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + text, "utf-8")
    done = run_cli("simulate", "--latency", "--trace", str(path), "--lang", "en", *options)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.decode().startswith(f"error: {message}")


def test_a_lane_shows_what_took_longest() -> None:
    spans = [(0.0, 1.0, "prefill"), (1.0, 1.4, "mixed"), (1.4, 2.0, "decode"), (3.5, 9.0, "decode")]
    assert lane(spans, 0.0, 1.0, 5) == "#-..-"
    assert lane(spans, 0.0, 0.5, 8) == "##+-...-"
    assert lane(spans, 8.5, 0.5, 3) == "-.."
    assert lane([], 0.0, 1.0, 3) == "..."


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_of_it(language: str, tmp_path: Path) -> None:
    path = tmp_path / "latency.html"
    done = run_cli("simulate", "--latency", "--requests", "100", "--html", str(path),
                   "--lang", language)  # fmt: skip
    assert done.returncode == 0 and str(path) in done.stdout.decode()
    html = path.read_text(encoding="utf-8")
    assert html.count("<svg") == 3 + 1 + 1 + 4  # percentiles, bars, machines, requests
    assert "<script" not in html and "src=" not in html
    words = WORDS[language]
    for name in ("prefill-first", "whole", "chunked", "disaggregated", "kind.waits", "tpot.title"):
        assert words[name] in html
    assert len(html.encode()) < 150_000


def test_a_page_of_rates_has_curves(tmp_path: Path) -> None:
    path = tmp_path / "rates.html"
    done = run_cli("simulate", "--latency", "--requests", "50", "--rates", "4,1,2",
                   "--html", str(path), "--lang", "en")  # fmt: skip
    assert done.returncode == 0
    html = path.read_text(encoding="utf-8")
    assert html.count("<svg") == 2 and "DistServe-Low" in html
    done = run_cli("simulate", "--html", str(path))
    assert done.returncode == 2 and b"--latency" in done.stderr


def test_requests_of_one_token_have_a_page_too(tmp_path: Path) -> None:
    trace, path = tmp_path / "one.csv", tmp_path / "one.html"
    trace.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.68,10,1\n"
                     "2023-11-16 18:15:47.68,12,1\n")  # fmt: skip
    done = run_cli("simulate", "--latency", "--trace", str(trace), "--html", str(path))
    assert done.returncode == 0, done.stderr
    assert path.read_text(encoding="utf-8").count("<svg") == 4  # no gaps: nothing over time
