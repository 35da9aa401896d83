"""Tables as HTML: the same description as in a terminal, for a page and a notebook.

Nothing here is markup but what this file writes: titles, labels and cells are escaped.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from importlib.resources import files

from walkthrough.display.number import number
from walkthrough.display.table import Cell, Table


def table_html(table: Table, precision: int) -> str:
    """A `<table>` with a caption, row and column headers; classes name its kind and marks.

    Its class is `wt-KIND`; a cell's are `n` in a column of numbers and `wt-MARK` for its mark.
    `--f` is how many characters of a fraction it lacks, so that a style can line up the points.
    """
    parts = [f'<table class="wt-{escape(table.kind)}">']
    if table.title:
        parts.append(f"<caption>{escape(table.title)}</caption>")
    digits = table.digits or [precision] * len(table.cells[0] if table.cells else table.cols)
    columns = list(zip(*table.cells, strict=True)) or [()] * len(table.cols)
    numeric = [any(not isinstance(cell, str) for cell in column) for column in columns]
    longest = [
        max((_fraction(cell, places) for cell in column), default=0)
        for column, places in zip(columns, digits, strict=True)
    ]
    if table.cols:
        heads = [_header(head, "col", n) for head, n in zip(table.cols, numeric, strict=True)]
        if table.rows:
            heads.insert(0, _header(table.corner, "col"))
        parts.append(f"<thead><tr>{''.join(heads)}</tr></thead>")
    parts.append("<tbody>")
    for i, row in enumerate(table.cells):
        parts.append("<tr>")
        if table.rows:
            parts.append(_header(table.rows[i], "row"))
        for j, cell in enumerate(row):
            classes = ["n"] if numeric[j] else []
            if table.marks and (mark := table.marks[i][j]):
                classes.append(f"wt-{mark}")
            lacks = longest[j] - _fraction(cell, digits[j]) if numeric[j] else 0
            parts.append(_cell(_text(cell, digits[j]), classes, lacks))
        parts.append("</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)


def scrolling_table(table: Table, precision: int, label: str) -> str:
    """The table in a box that scrolls where it is too wide, also by keyboard.

    The box is named after the table's title, or `label` where it has none.
    """
    name = escape(table.title or label)
    return (
        f'<div class="wt scroll" role="group" tabindex="0" aria-label="{name}"'
        f' style="overflow-x: auto">{table_html(table, precision)}</div>'
    )


@lru_cache(maxsize=1)
def table_style() -> str:
    """The style of these tables, for a page's or a cell's `<style>`."""
    return files("walkthrough.display").joinpath("tables.css").read_text(encoding="utf-8")


def _header(text: str, scope: str, numeric: bool = False) -> str:
    if not text.strip():
        return "<td></td>"  # a header without text is none
    attribute = ' class="n"' if numeric else ""
    return f'<th scope="{scope}"{attribute}>{escape(text)}</th>'


def _cell(text: str, classes: list[str], lacks: int) -> str:
    attributes = f' class="{escape(" ".join(classes))}"' if classes else ""
    if lacks:
        attributes += f' style="--f: {lacks}"'
    return f"<td{attributes}>{escape(text)}</td>"


def _text(cell: Cell, precision: int) -> str:
    return cell if isinstance(cell, str) else number(cell, precision)


def _fraction(cell: Cell, precision: int) -> int:
    """The characters of a number from its point on; a text in a column of numbers has none."""
    text = "" if isinstance(cell, str) else number(cell, precision)
    return len(text) - len(text.partition(".")[0])
