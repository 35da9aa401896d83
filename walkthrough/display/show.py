"""How a lesson prints: a matrix as a table, a product spelled out term by term.

Values are plain numbers, lists of them, or NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from walkthrough.display.current import current
from walkthrough.display.table import Table
from walkthrough.display.working import product, shares

if TYPE_CHECKING:
    from walkthrough.reference.attention import Attention

Labels = Sequence[object] | None


def _rows(values: Any) -> list[list[Any]]:
    """Numbers, or rows of them, or an array of at most two axes, as a list of rows."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, str) or not isinstance(values, Sequence):
        return [[values]]
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in values]
    if rows and not any(isinstance(row, Sequence) and not isinstance(row, str) for row in rows):
        rows = [rows]  # one row
    cells = [[c.tolist() if hasattr(c, "tolist") else c for c in row] for row in rows]
    for row in cells:
        if len(row) != len(cells[0]) or any(isinstance(c, list | tuple) for c in row):
            raise ValueError("show prints a table of one or two axes, with rows of one length")
    return cells


def _labels(labels: Labels, count: int, what: str) -> list[str]:
    if labels is None:
        return []
    if len(labels) != count:
        raise ValueError(f"{len(labels)} {what} labels for {count} {what}s")
    return [str(label) for label in labels]


def show(values: Any, title: str = "", *, rows: Labels = None, cols: Labels = None) -> None:
    """Print a number, a row or a matrix, aligned, under its title and with its labels.

    `rows` and `cols` are labels, one each. Whole numbers print as such, others with the
    screen's precision (4 decimals). Cells may be texts.

    >>> show([[1, 0.5], [0, -2.25]], "M", rows=["a", "b"], cols=[1, 2])
    M
      │  1        2
    ──┼────────────
    a │  1   0.5000
    b │  0  -2.2500
    """
    cells = _rows(values)
    width = len(cells[0]) if cells else len(cols or ())
    current().table(
        Table(
            title,
            cells,
            rows=_labels(rows, len(cells), "row"),
            cols=_labels(cols, width, "column"),
            source=values,
        )
    )


def _numbered(labels: Labels, count: int, what: str) -> list[str]:
    """The labels, or 1, 2, 3 … where there are none."""
    return _labels(labels, count, what) or [str(i + 1) for i in range(count)]


def spell(A: Any, B: Any, name: str, *, rows: Labels = None, cols: Labels = None) -> None:
    """Print every entry of the product A·B with its terms: A (n, d), B (d, m).

    `name` is the product's; `rows` and `cols` label its entries (default: counted from 1).

    >>> spell([[1, 2]], [[0], [2]], "S", rows=["q"], cols=["k"])
    S[q][k] = 1×0 + 2×2 = 4
    """
    left, right = _rows(A), _rows(B)
    if left and len(left[0]) != len(right):
        raise ValueError(
            f"{name}: {len(left)} × {len(left[0])} times {len(right)} × {len(right[0])}: "
            "the inner sizes differ"
        )
    width = len(right[0])
    inner = [str(k + 1) for k in range(len(right))]
    A_table = Table("", left, _numbered(rows, len(left), "row"), inner)
    B_table = Table("", right, inner, _numbered(cols, width, "column"))
    screen = current()
    working = product(A_table, B_table, name, screen.precision)
    screen.spelled(replace(working, sources=(A, B)))


def spell_softmax(
    exponentials: Any, name: str, *, rows: Labels = None, cols: Labels = None
) -> None:
    """Print each row's sum, then each weight as a quotient: exponentials (n, m).

    >>> spell_softmax([[1, 3]], "P", rows=["q"], cols=["a", "b"])
    sum[q]  = 1 + 3 = 4
    P[q][a] = 1 / 4 = 0.2500
    P[q][b] = 3 / 4 = 0.7500
    """
    cells = _rows(exponentials)
    table = Table(
        "E",
        cells,
        _numbered(rows, len(cells), "row"),
        _numbered(cols, len(cells[0]), "column"),
    )
    screen = current()
    working = shares(table, name, screen.precision)
    screen.spelled(replace(working, sources=(exponentials,)))


def show_attention(attention: Attention, *, rows: Labels, cols: Labels, query: str = "Q") -> None:
    """Print all that one head's attention computed: `rows` label its queries, `cols` its keys.

    `query` is the name of the matrix of queries in the formula.
    """
    import numpy as np

    from walkthrough.reference.attention import added, exponentials, normalise, row_sums

    title, exponents = "E = e^(S / √d_k + mask)", exponentials(attention.masked)
    sums = row_sums(exponents)
    if not np.all((sums > 10.0 ** -current().precision) & (sums < 1e15)):
        # Out of the range that can be shown, or out of float64's: with the shift, then.
        title, exponents = "E = e^(S / √d_k + mask - m), m: row max", attention.exponentials
        sums = row_sums(exponents)
    show(attention.scores, f"S = {query}·Kᵀ", rows=rows, cols=cols)
    show(attention.scaled, "S / √d_k", rows=rows, cols=cols)
    show(added(attention.mask), "mask", rows=rows, cols=cols)
    show(exponents, title, rows=rows, cols=cols)
    show(sums, "sum of each row of E", rows=rows, cols=["sum"])
    show(normalise(exponents), "P = E / sum", rows=rows, cols=cols)
    dims = range(1, attention.output.shape[-1] + 1)
    show(attention.output, "O = P·V", rows=rows, cols=dims)
