"""The audit: enough figures, honest verdicts, and a failure when something does not hold."""

from __future__ import annotations

import dataclasses

import pytest

from walkthrough.document import audit, figures
from walkthrough.document.example_file import document


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
