"""`walkthrough audit`: in 80 columns, as JSON, and its exit status."""

from __future__ import annotations

import json

import pytest
from helpers.cli import run_cli

from walkthrough.display.table import cell_len
from walkthrough.document import figures
from walkthrough.document.audit_words import FIGURES


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_figure_and_its_verdict_share_a_line_in_80_columns(language: str) -> None:
    shown = run_cli("audit", "--lang", language).stdout.decode()
    lines = [line for line in shown.splitlines() if "│" in line]
    assert len(lines) == len(figures.compute_figures()) + 1
    assert max(map(cell_len, lines)) <= 80
    for line, figure in zip(lines[1:], figures.compute_figures(), strict=True):
        assert figure.name in line
        assert FIGURES[language][figure.verdict] in line


def test_json() -> None:
    done = run_cli("audit", "--json")
    records = json.loads(done.stdout)
    assert done.returncode == 0
    assert len(records) == len(figures.compute_figures())
    assert records[0].keys() >= {"section", "figure", "printed", "computed", "verdict", "why"}
    assert all(r["why"] for r in records if r["verdict"] == "wrong")
    narrow = run_cli("audit", "--json", env={"PYTHONIOENCODING": "cp949"})
    assert json.loads(narrow.stdout) == records


def test_exit_status_1_where_a_figure_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from walkthrough.commands import cli

    assert cli.main(["audit", "--lang", "en"]) == 0
    said = figures.PRINTED | {"output": (("1.401", "1.803"),)}
    monkeypatch.setattr(figures, "PRINTED", said)
    capsys.readouterr()
    assert cli.main(["audit", "--lang", "en"]) == 1
    assert "1 verdicts are not as expected: output[간다][2]" in capsys.readouterr().out
