"""`walkthrough roofline`: what it measures, draws and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.cli import run_cli
from rich.cells import cell_len

from walkthrough.commands.roofline.words import WORDS
from walkthrough.reference.speed import measured
from walkthrough.reference.speed.machines import MACHINES
from walkthrough.reference.speed.roofline import decode_load, step_cost, step_time
from walkthrough.reference.speed.shapes import SHAPES


def test_both_languages_say_the_same_things() -> None:
    assert WORDS["ko"].keys() == WORDS["en"].keys()
    for name in ("columns", "rows.columns", "sheets.columns"):
        for mark in ",;":
            assert WORDS["ko"][name].count(mark) == WORDS["en"][name].count(mark)


@pytest.mark.parametrize(("language", "width"), [("ko", 60), ("ko", 80), ("en", 80), ("en", 120)])
def test_a_data_sheets_machine(language: str, width: int) -> None:
    done = run_cli("roofline", "--machine", "a100", "--geometry", "llama3-8b",
                   "--lang", language, "--width", str(width))  # fmt: skip
    out = done.stdout.decode()
    assert done.returncode == 0 and not done.stderr
    titles = ("roofline:", "루프라인:", "llama3-8b:", "machines by", "데이터시트의 장치와")
    for line in out.splitlines():
        assert cell_len(line) <= width or line.startswith(titles)
    assert "153.0" in out and "15.96" in out and "2,039 GB/s, 312 TFLOP/s" in out
    assert "**" not in out and "{" not in out
    for machine in MACHINES.values():
        assert f"\n{machine.name}" in out and machine.source[:16] in out
    out.encode("cp949")


def test_ascii_is_ascii() -> None:
    done = run_cli("roofline", "--machine", "2xh100", "--geometry", "llama2-70b", "--ascii")
    assert done.returncode == 0
    done.stdout.decode("ascii")


def test_json_has_the_same_numbers() -> None:
    done = run_cli("roofline", "--machine", "h100", "--geometry", "llama3-8b", "--context", "512",
                   "--json", "--lang", "en")  # fmt: skip
    result = json.loads(done.stdout)
    expected = step_cost(SHAPES["llama3-8b"], decode_load(8, 512))
    step = result["steps"][1]
    assert step["step"] == "decode 8 × 512"
    assert step["seconds"] == step_time(expected, MACHINES["h100"])
    assert result["machine"]["ridge"] == MACHINES["h100"].ridge
    assert result["data_sheets"].keys() == MACHINES.keys() and result["matrix"] is None


def test_this_machine_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from walkthrough.commands.cli import main

    monkeypatch.setattr(measured, "copy_bandwidth", lambda: 14e9)
    monkeypatch.setattr(measured, "matmul_rate", lambda: 54e9)
    seconds = {1: 0.01, 2: 0.04, 256: 0.5}
    monkeypatch.setattr(measured, "linear_seconds", lambda a, b, rows: seconds)
    assert main(["roofline", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "copy 14.0 GB/s, matrix product 54.0 GFLOP/s" in out
    assert "at 3.9 FLOP per byte" in " ".join(out.split())
    assert "from 8 rows" in " ".join(out.split())
    assert out.count("*") >= 3 and "4096×11008" in out
    assert main(["roofline", "--lang", "en", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["matrix"] == {"shape": [4096, 11008],
                                "seconds": {"1": 0.01, "2": 0.04, "256": 0.5}}  # fmt: skip
    assert result["bytes_per_number"] == 4


def test_measuring_measures() -> None:
    assert 1e7 < measured.copy_bandwidth(1 << 20, 2) < 1e13
    assert 1e6 < measured.matmul_rate(64, 2) < 1e15
    found = measured.linear_seconds(64, 32, (1, 4), 1)
    assert found.keys() == {1, 4} and all(seconds > 0 for seconds in found.values())
    assert measured.linear_bytes(64, 32, 4) == 4 * (64 * 32 + 4 * 96)


def test_torch_measures_where_it_is_asked_to(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from gpu import timing
    from walkthrough.commands.cli import main

    monkeypatch.setattr(timing, "copy_bandwidth", lambda device: 20e9)
    monkeypatch.setattr(timing, "matmul_rate", lambda device, dtype: 80e9)
    assert main(["roofline", "--device", "cpu", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "torch" in out and "at 4.0 FLOP per byte" in " ".join(out.split())
    for name in ("nonsense", "meta"):
        assert main(["roofline", "--device", name, "--lang", "en"]) == 2
        assert name in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--machine", "a99"], "there is no machine 'a99'; there are: t4, l4"),
        (["--machine", "a100", "--device", "cpu"], "--machine and --device do not go together"),
        (["--geometry", "x"], "argument --geometry: invalid choice: 'x'"),
        (["--prompt", "0"], "argument --prompt: must be a whole number from 1"),
    ],
)
def test_what_cannot_be_shown_is_one_line(arguments: list[str], message: str) -> None:
    done = run_cli("roofline", "--lang", "en", *arguments)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.decode().startswith(f"error: {message}")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_of_it(language: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / "roof.html"
    done = run_cli("roofline", "--machine", "a100", "--geometry", "llama3-8b", "--html", str(path),
                   "--lang", language)  # fmt: skip
    assert done.returncode == 0 and done.stdout.decode().rstrip().splitlines()[-1].count(str(path))
    html = path.read_text(encoding="utf-8")
    assert "312T" in html and "^ 153" in html and "15.96" in html and "806.67" in html
    assert html.count("<svg") == 1 and "<script" not in html and "src=" not in html
    assert len(html.encode()) < 60_000


def test_a_page_that_cannot_be_written_is_refused_and_the_old_one_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    done = run_cli("roofline", "--machine", "a100", "--html", str(tmp_path / "file" / "x.html"))
    assert done.returncode == 1 and b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"
    done = run_cli("roofline", "--machine", "a100", "--json", "--html", "x.html")
    assert done.returncode == 2 and b"--html" in done.stderr
