"""How a matrix that a lesson shows came from those that it showed before.

What its title claims, "E = e^(S / √d_k + mask)", is taken as true only where the numbers agree;
where they do not, nothing is spelled out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace

from walkthrough.display.number import number
from walkthrough.display.table import Table
from walkthrough.display.working import (
    CellPlace,
    Entry,
    Term,
    Working,
    product,
    shares,
    transposed,
    with_transposed,
)
from walkthrough.lesson.named_tables import NamedTables, role


def derive(table: Table, named: NamedTables, precision: int) -> Working | None:
    """How a table's entries came from the named tables before it, if its numbers say so."""
    make = _DERIVATIONS.get(role(table.title))
    if make is None or not table.rows or not table.cols:
        return None
    try:
        working = make(table, named, precision)
    except (KeyError, IndexError, ValueError):  # a matrix is missing, or not of the shape
        return None
    if working is None or not _agree(working.tables[-1], table):
        return None
    return replace(working, tables=(*working.tables[:-1], table))


def _agree(computed: Table, table: Table) -> bool:
    if [len(row) for row in computed.cells] != [len(row) for row in table.cells]:
        return False
    pairs = [
        (a, b)
        for ours, theirs in zip(computed.cells, table.cells, strict=True)
        for a, b in zip(ours, theirs, strict=True)
    ]
    return all(
        not isinstance(a, str)
        and not isinstance(b, str)
        and (a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))
        for a, b in pairs
    )


def _labelled(table: Table) -> Table:
    """A table whose rows and columns all have labels, counted from 1 where it has none."""
    width = len(table.cells[0])
    return replace(
        table,
        rows=table.rows or [str(i + 1) for i in range(len(table.cells))],
        cols=table.cols or [str(j + 1) for j in range(width)],
    )


def _projection(table: Table, named: NamedTables, precision: int) -> Working | None:
    name = role(table.title)
    return product(_labelled(named["X"]), _labelled(named[f"W_{name}"]), name, precision)


def _scores(table: Table, named: NamedTables, precision: int) -> Working | None:
    K = _labelled(named["K"])
    working = product(_labelled(named["Q"]), transposed(K), "S", precision)
    return with_transposed(working, 1, K.title)


def _output(table: Table, named: NamedTables, precision: int) -> Working | None:
    return product(_labelled(named["P"]), _labelled(named["V"]), "O", precision)


def _each(
    table: Table,
    sources: tuple[Table, ...],
    spell: Callable[[list[float]], tuple[list[str], float]],
    precision: int,
) -> Working:
    """Every entry from the entries in its place, or the one at its row's front, of the sources."""
    entries, cells = [], []
    for i, label in enumerate(table.rows):
        cells.append([0.0] * len(table.cols))
        for j, head in enumerate(table.cols):
            places: list[CellPlace] = []
            values: list[float] = []
            for which, source in enumerate(sources):
                column = j if len(source.cells[i]) > 1 or j == 0 else 0
                places.append((which, i, column))
                value = source.cells[i][column]
                values.append(value if not isinstance(value, str) else math.nan)
            texts, cells[i][j] = spell(values)
            terms = tuple(
                Term(text, tuple(places) if len(texts) == 1 else (place,))
                for text, place in zip(texts, places, strict=False)
            )
            name = f"{role(table.title)}[{label}][{head}]"
            result = number(cells[i][j], precision)
            entries.append(Entry(name, terms, result, (len(sources), i, j)))
    return Working((*sources, replace(table, cells=cells)), tuple(entries))


def _scaled(table: Table, named: NamedTables, precision: int) -> Working | None:
    d_k = len(named["Q"].cells[0])

    def spell(values: list[float]) -> tuple[list[str], float]:
        return [f"{number(values[0], precision)} / √{d_k}"], values[0] / math.sqrt(d_k)

    return _each(table, (named["S"],), spell, precision)


def _masked(table: Table, named: NamedTables, precision: int) -> Working | None:
    def spell(values: list[float]) -> tuple[list[str], float]:
        return [number(value, precision) for value in values], sum(values)

    return _each(table, (named["scaled"], named["mask"]), spell, precision)


def _exponentials(table: Table, named: NamedTables, precision: int) -> Working | None:
    """e^(S / √d_k), with the mask and without the row's largest score as the title says."""
    inside = re.search(r"e\^\((.*?)\)", table.title)
    if inside is None:
        return None
    scaled = named["scaled"]
    if "mask" not in inside[1]:
        sources: tuple[Table, ...] = (scaled,)
    elif "masked" in named and _same_labels(named["masked"], table):
        sources = (named["masked"],)
    else:
        sources = (scaled, named["mask"])
    shift = [0.0] * len(table.rows)
    if "- m" in inside[1]:
        summed = [[sum(v) for v in zip(*rows, strict=True)] for rows in _rows_of(sources)]
        shift = [0.0 if math.isinf(largest := max(row)) else largest for row in summed]
        m = Table("m", [[value] for value in shift], table.rows, ["m"])
        sources = (*sources, m)

    def spell(values: list[float]) -> tuple[list[str], float]:
        exponent = sum(values[:-1]) - values[-1] if "- m" in inside[1] else sum(values)
        try:
            power = math.exp(exponent)
        except OverflowError:
            power = math.inf
        return [f"e^({number(exponent, precision)})"], power

    return _each(table, sources, spell, precision)


def _rows_of(tables: tuple[Table, ...]) -> list[list[list[float]]]:
    """For each row, that row of every table."""
    return [
        [[cell for cell in row if not isinstance(cell, str)] for row in rows]
        for rows in zip(*(table.cells for table in tables), strict=True)
    ]


def _same_labels(a: Table, b: Table) -> bool:
    return list(a.rows) == list(b.rows) and list(a.cols) == list(b.cols)


def _sums(table: Table, named: NamedTables, precision: int) -> Working | None:
    whole = shares(_labelled(named["E"]), "P", precision)
    entries = tuple(entry for entry in whole.entries if entry.place[0] == 1)
    return Working(whole.tables[:2], entries)


def _weights(table: Table, named: NamedTables, precision: int) -> Working | None:
    whole = shares(_labelled(named["E"]), "P", precision)
    if "softmax" in table.title:
        return whole
    return replace(whole, entries=tuple(e for e in whole.entries if e.place[0] == 2))


_DERIVATIONS: dict[str, Callable[[Table, NamedTables, int], Working | None]] = {
    "Q": _projection,
    "K": _projection,
    "V": _projection,
    "S": _scores,
    "scaled": _scaled,
    "masked": _masked,
    "E": _exponentials,
    "sum": _sums,
    "P": _weights,
    "O": _output,
}
