"""How the entries of a matrix came to be: their terms, and where each number of them stands.

A terminal prints the terms as lines; who presents a lesson marks the numbers in their matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rich.cells import cell_len

from walkthrough.display.number import number
from walkthrough.display.table import Line, Table, pad

CellPlace = tuple[int, int, int]  # which of the working's tables, the row in it, the column


@dataclass(frozen=True)
class Term:
    """One term of a sum, with the places of the numbers in it."""

    text: str
    places: tuple[CellPlace, ...]


@dataclass(frozen=True)
class Entry:
    """`name = term + term = result`, where `place` is the result's."""

    name: str
    terms: tuple[Term, ...]
    result: str
    place: CellPlace


@dataclass(frozen=True)
class Working:
    """Entries in the order in which they are computed, and the tables they read and fill."""

    tables: tuple[Table, ...]
    entries: tuple[Entry, ...]
    # The arrays it was made from: the factors of a product, or the exponentials of shares.
    sources: tuple[Any, ...] = field(default=(), compare=False, repr=False)


def product(left: Table, right: Table, name: str, precision: int) -> Working:
    """Every entry of left · right, term by term: (n, d) · (d, m) → (n, m)."""
    entries, cells = [], []
    for i, row in enumerate(left.cells):
        cells.append([0.0] * len(right.cols))
        for j, head in enumerate(right.cols):
            pairs = [(_value(row[k]), _value(right.cells[k][j])) for k in range(len(right.cells))]
            terms = tuple(
                Term(f"{factor(a, precision)}×{factor(b, precision)}", ((0, i, k), (1, k, j)))
                for k, (a, b) in enumerate(pairs)
            )
            cells[-1][j] = total = sum(a * b for a, b in pairs)
            label = f"{name}[{left.rows[i]}][{head}]"
            entries.append(Entry(label, terms, number(total, precision), (2, i, j)))
    result = Table(name, cells, left.rows, right.cols)
    return Working((left, right, result), tuple(entries))


def shares(exponentials: Table, name: str, precision: int) -> Working:
    """Each row's sum, then each entry divided by it: (n, m) → (n, 1) and (n, m)."""
    entries, sums, cells = [], [], []
    for i, (label, row) in enumerate(zip(exponentials.rows, exponentials.cells, strict=True)):
        values = [_value(cell) for cell in row]
        total = sum(values)
        terms = tuple(
            Term(exponential(value, precision), ((0, i, j),)) for j, value in enumerate(values)
        )
        entries.append(Entry(f"sum[{label}]", terms, exponential(total, precision), (1, i, 0)))
        sums.append([total])
        # 0 / 0 and ∞ / ∞: what the plain formula gives where e^score leaves the range.
        cells.append([value / total if total else math.nan for value in values])
        for j, (head, value) in enumerate(zip(exponentials.cols, values, strict=True)):
            quotient = f"{exponential(value, precision)} / {exponential(total, precision)}"
            term = Term(quotient, ((0, i, j), (1, i, 0)))
            share = number(cells[-1][j], precision)
            entries.append(Entry(f"{name}[{label}][{head}]", (term,), share, (2, i, j)))
    sum_table = Table("sum", sums, exponentials.rows, ["sum"])
    result = Table(name, cells, exponentials.rows, exponentials.cols)
    return Working((exponentials, sum_table, result), tuple(entries))


def transposed(table: Table) -> Table:
    """The table with rows for columns."""
    cells = [list(column) for column in zip(*table.cells, strict=True)]
    marks = [list(column) for column in zip(*table.marks, strict=True)]
    return replace(table, cells=cells, rows=table.cols, cols=table.rows, marks=marks)


def with_transposed(working: Working, which: int, title: str) -> Working:
    """The same working, where one of its tables is shown transposed and under this title."""

    def move(place: CellPlace) -> CellPlace:
        table, i, j = place
        return (table, j, i) if table == which else place

    tables = list(working.tables)
    tables[which] = replace(transposed(tables[which]), title=title)
    entries = tuple(
        replace(
            entry,
            place=move(entry.place),
            terms=tuple(Term(t.text, tuple(map(move, t.places))) for t in entry.terms),
        )
        for entry in working.entries
    )
    return Working(tuple(tables), entries)


def factor(value: Any, precision: int) -> str:
    """A number as it stands in a product: a negative one in brackets."""
    text = number(value, precision)
    return f"({text})" if text.startswith("-") else text


def exponential(value: float, precision: int) -> str:
    """A power of e, which is never 0 unless it was masked: a small one shows its exponent."""
    tiny = 0 < value < 0.5 * 10.0**-precision
    return f"{value:.{precision}e}" if tiny else number(value, precision)


def entry_lines(
    entries: Sequence[Entry],
    *,
    width: int,
    readable: Callable[[str], str] = str,
    least: int = 0,
) -> list[Line]:
    """Lines of `name = term + term = result`, broken before a + where the screen ends.

    An entry without a result is one that is still being computed. The names have at least
    `least` cells.
    """
    name_width = max([least, *(cell_len(readable(entry.name)) for entry in entries)])
    lines: list[Line] = []
    for entry in entries:
        head = pad(readable(entry.name), name_width) + " ="
        first, *others = (term.text for term in entry.terms)
        pieces = [readable(first), *(readable(f"+ {text}") for text in others)]
        if entry.result:
            pieces.append(f"= {readable(entry.result)}")
        text = ""
        for piece in pieces:
            if text and cell_len(head) + cell_len(text) + 1 + cell_len(piece) > width:
                lines.append([(head, "label"), (text, "")])
                head, text = " " * cell_len(head), ""
            text += f" {piece}"
        lines.append([(head, "label"), (text, "")])
    return lines


def _value(cell: Any) -> Any:
    if isinstance(cell, str):
        raise ValueError(f"cannot compute with {cell!r}")
    return cell
