"""The audit: enough figures, honest verdicts, and a failure when something does not hold."""

from __future__ import annotations

import dataclasses
import json

import pytest
from helpers.cli import run_cli

from walkthrough.display.table import cell_len
from walkthrough.document import audit, figures
from walkthrough.document.example import document


def test_at_least_sixty_figures_all_as_expected() -> None:
    audited = figures.compute_figures()
    assert len(audited) >= 60
    assert [f.name for f in audited if not f.as_expected] == []
    assert {f.section for f in audited} == {"2", "3", "4-1", "4-2", "5", "7", "8"}


@pytest.mark.parametrize(
    ("printed", "computed", "verdict"),
    [
        ("4", 4.0, "holds"),
        ("4", 4 + 1e-14, "holds"),
        ("0.401", 0.401112, "rounds"),
        ("0.402", 0.401112, "wrong"),
        ("99.97", 99.9755859375, "wrong"),
        ("2.1E9", 2147483648, "rounds"),
        ("2048", 2147.483648, "wrong"),
    ],
)
def test_verdicts(printed: str, computed: float, verdict: str) -> None:
    assert figures.Figure("x", "x", printed, computed).verdict == verdict


def test_the_wrong_ones_are_the_known_ones() -> None:
    wrong = {(f.section, f.mistake) for f in figures.compute_figures() if f.verdict == "wrong"}
    assert wrong == {("3", 1), ("4-2", 9), ("7", 5), ("8", 8)}


def test_other_inputs_make_the_audit_fail() -> None:
    ex = document()
    other = dataclasses.replace(ex, W_K=ex.W_K + 1)
    assert any(not f.as_expected for f in figures.compute_figures(other))


def test_every_mistake_has_its_reason_in_both_languages() -> None:
    for language in ("ko", "en"):
        reasons = audit.reasons(language, precision=4)
        assert sorted(reasons) == list(range(1, 13))
        assert all("{" not in text for text in reasons.values())
    assert sorted(audit.LESSONS) == list(range(1, 13))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_figure_and_its_verdict_share_a_line_in_80_columns(language: str) -> None:
    shown = run_cli("audit", "--lang", language).stdout.decode()
    lines = [line for line in shown.splitlines() if "│" in line]
    assert len(lines) == len(figures.compute_figures()) + 1
    assert max(map(cell_len, lines)) <= 80
    for line, figure in zip(lines[1:], figures.compute_figures(), strict=True):
        assert figure.name in line
        assert audit.WORDS[language][figure.verdict] in line


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
