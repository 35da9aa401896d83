"""A table as a description, and its layout as lines of text that never lose a digit.

Cells are numbers or texts. Numbers line up at their decimal point; a table that is wider
than the screen is cut into panels, a few columns each, never in the middle of a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.cells import cell_len

from walkthrough.display.charset import on_one_line
from walkthrough.display.number import number

Line = list[tuple[str, str]]  # (text, style name) one after the other
Cell = float | str
PLAIN, TITLE, LABEL, RULE = "", "title", "label", "rule"
GAP = "  "


@dataclass(frozen=True)
class Table:
    """What is shown: a title (usually a formula), labels, and cells row by row."""

    title: str
    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str] = ()  # a label for each row, or none
    cols: Sequence[str] = ()  # a label for each column, or none
    corner: str = ""  # what stands above the row labels
    marks: Sequence[Sequence[str]] = ()  # a style name for each cell, or none
    digits: Sequence[int] = ()  # after the point, for each column, where not the screen's
    kind: str = "matrix"  # what it pictures: a page draws a pool otherwise than a matrix
    # What it shows, for who records it: the array itself, whose place tells where it came from.
    source: Any = field(default=None, compare=False, repr=False)


def pad(text: str, width: int) -> str:
    """Text filled with spaces to a width in terminal cells (a Hangul syllable takes two)."""
    return text + " " * (width - cell_len(text))


def _align(cells: Sequence[Cell], precision: int, readable: Callable[[str], str]) -> list[str]:
    """The cells of one column, of one width: texts to the left, numbers at their points."""
    texts = [readable(cell if isinstance(cell, str) else number(cell, precision)) for cell in cells]
    if all(isinstance(cell, str) for cell in cells):
        width = max(map(cell_len, texts), default=0)
        return [pad(text, width) for text in texts]
    # The whole part ends where the point is; a text in a column of numbers has no point.
    split = [
        (text, "") if isinstance(cell, str) else _at_point(text)
        for cell, text in zip(cells, texts, strict=True)
    ]
    before = max(cell_len(whole) for whole, _ in split)
    after = max(cell_len(fraction) for _, fraction in split)
    return [
        " " * (before - cell_len(whole)) + pad(whole + fraction, cell_len(whole) + after)
        for whole, fraction in split
    ]


def _at_point(text: str) -> tuple[str, str]:
    whole, point, fraction = text.partition(".")
    return whole, point + fraction


def layout(
    table: Table,
    *,
    width: int,
    precision: int,
    readable: Callable[[str], str] = str,
    gap: str = GAP,
) -> list[Line]:
    """The table as styled lines. `readable` replaces what the console cannot encode."""

    def plain(text: str) -> str:  # whatever a stranger's cell holds, a row stays a row
        return readable(on_one_line(text))

    lines: list[Line] = [[(plain(table.title), TITLE)]] if table.title else []
    bar, dash, cross = readable("│"), readable("─"), readable("┼")
    labels = [plain(label) for label in table.rows]
    corner = plain(table.corner)
    label_width = max(map(cell_len, [corner, *labels]))
    count = len(table.cells[0]) if table.cells else len(table.cols)
    digits = table.digits or [precision] * count
    columns = [_align([row[j] for row in table.cells], digits[j], plain) for j in range(count)]
    heads = [plain(head) for head in table.cols] or [""] * len(columns)
    numeric = [any(not isinstance(row[j], str) for row in table.cells) for j in range(len(columns))]
    widths = []
    for j, column in enumerate(columns):
        cells_width = cell_len(column[0]) if column else 0
        widths.append(max(cells_width, cell_len(heads[j])))
        fill = " " * (widths[j] - cells_width)
        columns[j] = [fill + cell if numeric[j] else cell + fill for cell in column]
        space = " " * (widths[j] - cell_len(heads[j]))
        heads[j] = space + heads[j] if numeric[j] else heads[j] + space

    margin = label_width + 1 + cell_len(bar) if labels else 0
    room = width - margin if labels else width + len(gap)  # no gap before a first column
    for panel in _panels(widths, room, gap):
        if table.cols:
            head = gap + gap.join(heads[j] for j in panel)
            rule_width = cell_len(head)
            if labels:
                lines.append([(pad(corner, label_width + 1), LABEL), (bar, RULE), (head, LABEL)])
                rule = dash * (label_width + 1) + cross + dash * rule_width
            else:
                lines.append([(head[len(gap) :], LABEL)])
                rule = dash * (rule_width - len(gap))
            lines.append([(rule, RULE)])
        for i in range(len(table.cells)):
            line: Line = [(pad(labels[i], label_width + 1), LABEL), (bar, RULE)] if labels else []
            for j in panel:
                before = gap if labels or j != panel[0] else ""
                mark = table.marks[i][j] if table.marks else PLAIN
                line += [(before, PLAIN), (columns[j][i], mark)]
            lines.append(line)
    return [_strip(line) for line in lines]


def _panels(widths: Sequence[int], room: int, gap: str) -> list[list[int]]:
    """Column numbers, cut so that each group fits the room; at least one a group."""
    panels: list[list[int]] = []
    used = 0
    for j, width in enumerate(widths):
        if not panels or used + len(gap) + width > room:
            panels.append([])
            used = 0
        panels[-1].append(j)
        used += len(gap) + width
    return panels


def _strip(line: Line) -> Line:
    """The line without spaces at its end, pieces of one style as one."""
    pieces: Line = []
    for text, style in line:
        if pieces and pieces[-1][1] == style:
            pieces[-1] = (pieces[-1][0] + text, style)
        elif text:
            pieces.append((text, style))
    while pieces and not pieces[-1][0].rstrip():
        pieces.pop()
    if pieces:
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return pieces
