"""What the page computes is what Python computes: at first, and after each change."""

from __future__ import annotations

import contextvars
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import Tab
from helpers.courses import LANGUAGES, course_lessons, recorded

from walkthrough.display.number import number
from walkthrough.display.table import Table
from walkthrough.document import current_example
from walkthrough.document.example import Example
from walkthrough.lesson.recording import Spelled, Statement, record

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

VALUES = """() => {
  walkthrough.compute();
  const text = (x) => Number.isNaN(x) ? 'nan' : Number.isFinite(x) ? x : x > 0 ? 'inf' : '-inf';
  return walkthrough.data.nodes.map((n) => [n.id, n.op, walkthrough.stale.has(n.id),
    walkthrough.value.get(n.id).map((row) => row.map(text))]);
}"""
PLACES = {"X": "embedding", "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V", "W_O": "W_O"}


def values(page: Page) -> dict[str, tuple[str | None, bool, list[list[float]]]]:
    """Each node as the page computes it: its operation, whether it is unsure, its numbers."""
    return {
        key: (op, stale, [[float(x) for x in row] for row in rows])
        for key, op, stale, rows in page.evaluate(VALUES)
    }


def close(a: list[list[float]], b: list[list[float]]) -> bool:
    return all(
        x == y
        or (math.isnan(x) and math.isnan(y))
        or math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)
        for one, other in zip(a, b, strict=True)
        for x, y in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", range(len(course_lessons("ko"))))
def test_the_graph_is_pythons_and_prints_the_same(
    tab: Tab, folder: Path, language: str, place: int
) -> None:
    lesson, steps = recorded(language)[place]
    page = tab.open(folder / language / f"{lesson.name}.html")
    nodes = {
        node["id"]: [[float(str(x).replace("∞", "inf")) for x in row] for row in node["value"]]
        for node in page.evaluate("JSON.parse(document.querySelector('#lesson').textContent).nodes")
    }
    computed = values(page)
    for key, (op, stale, rows) in computed.items():
        assert not stale
        assert close(rows, nodes[key]), (key, op)
    texts = page.evaluate(
        """() => walkthrough.data.nodes.map((n) => [n.id,
        walkthrough.value.get(n.id).map((row) => row.map((x) => walkthrough.number(x)))])"""
    )
    shown = {
        f"n{table.source.number}": table
        for step in steps
        for item in step.items
        if isinstance(item, Statement)
        for table in item.shown
        if isinstance(table, Table) and table.source
    }
    for key, rows in texts:
        if key in shown:
            assert rows == [[number(float(c), 4) for c in row] for row in shown[key].cells], key
    assert tab.said == []


def test_numbers_are_printed_as_python_prints_them(tab: Tab, folder: Path) -> None:
    page = tab.open(folder / "en" / "05_decode_with_cache.html")
    rng = np.random.default_rng(0)
    some = [
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        1e15,
        -1e15,
        999999.99995,
        1e-9,
        -1e-5,
        12345.6789,
        1e22,
        1e300,
    ]
    some += [odd / 32 for odd in range(-999, 999, 2)] + [odd / 64 for odd in range(-999, 999, 2)]
    some += rng.normal(0, 1, 800).tolist() + (10 ** rng.uniform(-9, 16, 800)).tolist()
    printed = page.evaluate("all => all.map((x) => walkthrough.number(x))", some)
    assert printed == [number(x, 4) for x in some]


def changed(example: Example, given: list[Any], row: int, col: int, to: float) -> Example:
    """The example with one of its numbers another."""
    name, head = given
    field = "embedding" if name == "X" else name
    array = getattr(example, field).copy()
    array[(row, col) if head is None else (head, row, col)] = to
    return replace(example, **{field: array})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", [*range(1, 10), 18])
def test_one_change_of_each_given_matrix_gives_what_python_gives(
    tab: Tab, folder: Path, language: str, place: int
) -> None:
    lesson = course_lessons(language)[place]
    page = tab.open(folder / language / f"{lesson.name}.html")
    givens = page.evaluate(
        "walkthrough.data.nodes.filter((n) => n.edit).map((n) => [n.id, n.given])"
    )
    example = current_example.example()
    compared = 0
    for key, given in givens:
        shape = page.evaluate(
            "id => [walkthrough.value.get(id).length, walkthrough.value.get(id)[0].length]", key
        )
        row, col = shape[0] // 2, shape[1] - 1
        page.evaluate(
            """([id, row, col]) => { const w = walkthrough, n = w.value.get(id);
            w.edited.clear(); w.edited.set(id, n.map((r, i) => r.map((x, j) =>
            (i === row && j === col ? 1.25 : x)))); w.compute(); w.paint(); }""",
            [key, row, col],
        )
        found = values(page)
        context = contextvars.copy_context()
        context.run(current_example.take, changed(example, given, row, col, 1.25))
        expected: dict[str, list[list[float]]] = {}
        try:
            again = context.run(record, lesson)
        except Exception:  # with that number, another token is chosen, and the lesson ends
            continue
        same_tokens = [t.rows for t in tables(again)] == [
            t.rows for t in tables(recorded(language)[place][1])
        ]
        if not same_tokens:
            continue
        for before, after in zip(tables(recorded(language)[place][1]), tables(again), strict=True):
            if before.source is not None and before.source.op is not None:
                expected[f"n{before.source.number}"] = [[float(c) for c in r] for r in after.cells]
        for node, rows in expected.items():
            if node in found and not found[node][1]:
                assert close(found[node][2], rows), (key, given, node)
                compared += 1
        page.evaluate("walkthrough.edited.clear(), walkthrough.compute(), walkthrough.paint()")
    assert compared >= {1: 20, 2: 60, 3: 60, 4: 60}.get(place, 0)
    assert page.locator("td.changed").count() == 0
    assert tab.said == []


def tables(steps: Any) -> list[Table]:
    """The tables of arrays that a lesson shows, in order."""
    return [
        table
        for step in steps
        for item in step.items
        if isinstance(item, Statement)
        for table in item.shown
        if isinstance(table, Table) and not isinstance(table, Spelled) and table.source
    ]
