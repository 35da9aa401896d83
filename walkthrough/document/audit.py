"""The document's figures, one by one: what it prints, what is computed, and the verdict."""

from __future__ import annotations

import json
from collections import Counter

from walkthrough.display.number import number
from walkthrough.display.screen import Screen
from walkthrough.display.table import Table
from walkthrough.document.audit_words import FIGURES, WHY
from walkthrough.document.figures import Figure, compute_figures, evidence

LESSONS = {1: 3, 2: 4, 3: 1, 4: 2, 5: 6, 6: 6, 7: 6, 8: 7, 9: 5, 10: 7, 11: 2, 12: 7}


def reasons(language: str, precision: int) -> dict[int, str]:
    """The twelve explanations, with their numbers computed now."""
    from walkthrough.document.example_file import document

    tokens = document().tokens
    texts = {}
    for mistake, numbers in evidence().items():
        fields = {name: number(float(value), precision) for name, value in numbers.items()}
        if mistake == 3:  # these two are token ids
            fields = {name: tokens[int(value)] for name, value in numbers.items()}
        texts[mistake] = WHY[language][mistake].format(**fields)
    return texts


def print_audit(screen: Screen, language: str, *, as_json: bool = False) -> list[Figure]:
    """Print the whole audit; returns the figures whose verdict is not what it should be."""
    audited = compute_figures()
    why = reasons(language, screen.precision)
    unexpected = [figure for figure in audited if not figure.as_expected]
    if as_json:
        _print_json(audited, why, screen)
    else:
        _print_table(audited, why, unexpected, screen, FIGURES[language])
    return unexpected


def _print_json(audited: list[Figure], why: dict[int, str], screen: Screen) -> None:
    records = [
        {
            "section": figure.section,
            "figure": figure.name,
            "printed": figure.printed,
            "computed": float(figure.computed),
            "verdict": figure.verdict,
            "as_expected": figure.as_expected,
            "mistake": figure.mistake,
            "why": why[figure.mistake] if figure.mistake else None,
        }
        for figure in audited
    ]
    text = json.dumps(records, indent=1, ensure_ascii=False)
    if not screen.charset.encodes(text):  # escaped, so that a program reads the same names
        text = json.dumps(records, indent=1)
    screen.write(text + "\n")


def _print_table(
    audited: list[Figure],
    why: dict[int, str],
    unexpected: list[Figure],
    screen: Screen,
    words: dict[str, str],
) -> None:
    cells = [
        [
            figure.printed,
            number(figure.computed, screen.precision),
            words[figure.verdict] + (f" ({figure.mistake})" if figure.mistake else ""),
        ]
        for figure in audited
    ]
    marks = [["bad" if figure.verdict == "wrong" else ""] * 3 for figure in audited]
    labels = [f"{figure.section:<4} {figure.name}" for figure in audited]
    screen.table(Table("", cells, labels, words["columns"].split("|"), words["corner"], marks))
    screen.text()
    screen.text(words["why"], "title")
    screen.text()
    screen.prose(
        "\n".join(
            f"{n}. {text} ({words['lesson']} {LESSONS[n]})" for n, text in sorted(why.items())
        )
    )
    screen.text()
    count = Counter(figure.verdict for figure in audited)
    kinds = {verdict: count[verdict] for verdict in ("holds", "rounds", "wrong")}
    screen.text(words["summary"].format(all=len(audited), **kinds), "title")
    if unexpected:
        names = ", ".join(figure.name for figure in unexpected)
        screen.text(words["unexpected"].format(count=len(unexpected), names=names), "bad")
