"""How a lesson prints: a matrix as a table, a product spelled out term by term.

Values are plain numbers, lists of them, or NumPy arrays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from walkthrough.classroom.screen import current
from walkthrough.classroom.table import Line, Table, number, pad

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
        )
    )


def _numbered(labels: Labels, count: int, what: str) -> list[str]:
    """The labels, or 1, 2, 3 … where there are none."""
    return _labels(labels, count, what) or [str(i + 1) for i in range(count)]


def _factor(value: Any, precision: int) -> str:
    text = number(value, precision)
    return f"({text})" if text.startswith("-") else text


def _exponential(value: float, precision: int) -> str:
    """A power of e, which is never 0 unless it was masked: a small one shows its exponent."""
    tiny = 0 < value < 0.5 * 10.0**-precision
    return f"{value:.{precision}e}" if tiny else number(value, precision)


def _print_spelled(spelled: list[tuple[str, list[str], str]]) -> None:
    """Lines of `name = term + term = result`, broken before a + where the screen ends."""
    screen = current()
    readable = screen.charset.readable
    name_width = max((cell_len(readable(name)) for name, _, _ in spelled), default=0)
    lines: list[Line] = []
    for name, terms, result in spelled:
        head = pad(readable(name), name_width) + " ="
        pieces = [readable(terms[0]), *(readable(f"+ {term}") for term in terms[1:])]
        pieces.append(f"= {readable(result)}")
        text = ""
        for piece in pieces:
            if text and cell_len(head) + cell_len(text) + 1 + cell_len(piece) > screen.width:
                lines.append([(head, "label"), (text, "")])
                head, text = " " * cell_len(head), ""
            text += f" {piece}"
        lines.append([(head, "label"), (text, "")])
    screen.block(lines)


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
    row_labels = _numbered(rows, len(left), "row")
    width = len(right[0])
    col_labels = _numbered(cols, width, "column")
    precision = current().precision
    spelled = []
    for i, row in enumerate(left):
        for j in range(width):
            pairs = [(row[k], right[k][j]) for k in range(len(right))]
            terms = [f"{_factor(a, precision)}×{_factor(b, precision)}" for a, b in pairs]
            total = number(sum(a * b for a, b in pairs), precision)
            spelled.append((f"{name}[{row_labels[i]}][{col_labels[j]}]", terms, total))
    _print_spelled(spelled)


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
    row_labels = _numbered(rows, len(cells), "row")
    col_labels = _numbered(cols, len(cells[0]), "column")
    precision = current().precision
    spelled = []
    for label, row in zip(row_labels, cells, strict=True):
        total = sum(row)
        terms = [_exponential(value, precision) for value in row]
        spelled.append((f"sum[{label}]", terms, _exponential(total, precision)))
        for column, value in zip(col_labels, row, strict=True):
            quotient = f"{_exponential(value, precision)} / {_exponential(total, precision)}"
            # 0 / 0 and ∞ / ∞: what the plain formula gives where e^score leaves the range.
            share = number(value / total if total else math.nan, precision)
            spelled.append((f"{name}[{label}][{column}]", [quotient], share))
    _print_spelled(spelled)


def show_attention(attention: Attention, *, rows: Labels, cols: Labels, query: str = "Q") -> None:
    """Print all that one head's attention computed: `rows` label its queries, `cols` its keys.

    `query` is the name of the matrix of queries in the formula.
    """
    import numpy as np

    from walkthrough.reference.attention import exponentials

    title, exponents = "E = e^(S / √d_k + mask)", exponentials(attention.masked)
    sums = exponents.sum(axis=-1)
    if not np.all((sums > 10.0 ** -current().precision) & (sums < 1e15)):
        # Out of the range that can be shown, or out of float64's: with the shift, then.
        title, exponents = "E = e^(S / √d_k + mask - m), m: row max", attention.exponentials
    show(attention.scores, f"S = {query}·Kᵀ", rows=rows, cols=cols)
    show(attention.scaled, "S / √d_k", rows=rows, cols=cols)
    show(np.where(attention.mask, 0, -np.inf), "mask", rows=rows, cols=cols)
    show(exponents, title, rows=rows, cols=cols)
    show(exponents.sum(axis=-1, keepdims=True), "sum of each row of E", rows=rows, cols=["sum"])
    show(attention.weights, "P = E / sum", rows=rows, cols=cols)
    dims = range(1, attention.output.shape[-1] + 1)
    show(attention.output, "O = P·V", rows=rows, cols=dims)
