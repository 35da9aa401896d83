"""Tables as HTML: the same description as in a terminal, for a page and a notebook.

Nothing here is markup but what this file writes: titles, labels and cells are escaped.
"""

from __future__ import annotations

from html import escape

from walkthrough.classroom.table import Cell, Table, number


def table_html(table: Table, precision: int) -> str:
    """A `<table>` with a caption, row and column headers; classes name its kind and marks.

    Its class is `wt-KIND`; a cell's are `n` for a number and `wt-MARK` for its mark.
    """
    parts = [f'<table class="wt-{escape(table.kind)}">']
    if table.title:
        parts.append(f"<caption>{escape(table.title)}</caption>")
    if table.cols:
        heads = [f'<th scope="col">{escape(head)}</th>' for head in table.cols]
        if table.rows:
            corner = escape(table.corner)
            heads.insert(0, f'<th scope="col">{corner}</th>' if corner else "<td></td>")
        parts.append(f"<thead><tr>{''.join(heads)}</tr></thead>")
    parts.append("<tbody>")
    for i, row in enumerate(table.cells):
        head = f'<th scope="row">{escape(table.rows[i])}</th>' if table.rows else ""
        marks = table.marks[i] if table.marks else [""] * len(row)
        cells = (_cell(cell, mark, precision) for cell, mark in zip(row, marks, strict=True))
        parts.append(f"<tr>{head}{''.join(cells)}</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)


def _cell(cell: Cell, mark: str, precision: int) -> str:
    names = [*(["n"] if not isinstance(cell, str) else []), *([f"wt-{mark}"] if mark else [])]
    attribute = f' class="{escape(" ".join(names))}"' if names else ""
    text = cell if isinstance(cell, str) else number(cell, precision)
    return f"<td{attribute}>{escape(text)}</td>"
