"""A screen's matrices: which stand on it, how large each is, and where it stands.

Sizes are in rem, so that every 16:9 screen shows the same picture. Operands stand left of what
is made of them: what is given, then products, then caches, then the rows of scores and shares.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from rich.cells import cell_len

from walkthrough.display.drawing.picture import Strip, strip_html
from walkthrough.display.number import number
from walkthrough.display.table import Table
from walkthrough.export.formula import formula
from walkthrough.lesson.graph import GraphNode

WIDTH, HEIGHT = 49.0, 27.6  # of the board; the window is 68.6 × 38.6 rem
GAP, COLUMN_GAP = 0.7, 1.5
SCALES = (1.25, 1.12, 1.0, 0.9, 0.8, 0.72)  # the last is 20 px on a projector
Translate = Callable[[str], str]


@dataclass
class BoardFigure:
    """A table on a board; with a node, it is one of the lesson's graph."""

    table: Table
    node: GraphNode | None
    own: bool = True  # shown by this step; otherwise carried over, as an operand
    precision: int = 4
    spelled: bool = False  # a product that was spelled out and not shown
    id: str = ""

    @property
    def texts(self) -> Sequence[Sequence[str]]:
        """The cells as they are printed."""
        count = len(self.table.cells[0] if self.table.cells else ())
        places = self.table.digits or [self.precision] * count
        return [
            [
                cell if isinstance(cell, str) else number(cell, places[j])
                for j, cell in enumerate(row)
            ]
            for row in self.table.cells
        ]

    @property
    def plain(self) -> bool:
        """Whether it is a table like any other, with texts in it."""
        return self.node is None or self.node.op is None

    def widths(self) -> list[float]:
        """Of its columns: one for all in a matrix, each its own in a table of texts."""
        columns = list(zip(*self.texts, strict=True)) or [()] * len(self.table.cols)
        heads = self.table.cols or [""] * len(columns)
        each = [
            max([0.4 * cell_len(head) + 0.3, *(0.55 * cell_len(text) + 0.5 for text in column)])
            for head, column in zip(heads, columns, strict=True)
        ]
        least = 2.1 if self.plain or self.node is None or self.node.op == "given" else 2.65
        return each if self.plain else [max([least, *each])] * len(each)

    @property
    def row_height(self) -> float:
        """A computed number has room for the lesson's above it, where rows are few."""
        known = self.node is not None and self.node.op not in (None, "given", "rows")
        return 1.62 if known and len(self.table.cells) <= 3 else 1.36

    def size(self) -> tuple[float, float]:
        """Width and height."""
        label = max([0.0, *(0.4 * cell_len(label) + 0.6 for label in self.table.rows)])
        title = formula(self.table.title)
        over = 0.42 * cell_len(title.note) + 0.5 * cell_len(re.sub("<.*?>", "", title.html))
        wide = label + sum(width + 0.12 for width in self.widths())
        high = 1.5 * bool(self.table.title) + 1.0 * bool(self.table.cols)
        rows = (self.row_height + 0.13) * len(self.table.cells)
        return max(wide, min(over, wide + 4)), high + rows


@dataclass
class BoardLayout:
    """Columns of figures, and how much smaller than it could be all of it is drawn."""

    columns: list[list[Any]] = field(default_factory=list)
    scale: float = 1.0
    fits: bool = True


def stage(figure: Any) -> int:
    """How far right a figure stands: given, product, cache, score and behind."""
    node = getattr(figure, "node", None)
    if node is None or node.parameters.get("name") == "mask":
        return 4
    if node.op == "matmul" and all(each.op in ("given", "rows") for each in node.inputs):
        return 2
    return {"rows": 0, "given": 1, "concat": 3}.get(str(node.op), 4)


def arrange(figures: Sequence[Any], height: float = HEIGHT) -> BoardLayout:
    """The largest scale at which the figures fit, each stage in columns of its own if it can be."""
    for scale in SCALES:
        for apart in (True, False):
            columns = _columns(figures, height / scale, apart)
            width = sum(max(item.size()[0] for item in column) for column in columns)
            width += COLUMN_GAP * (len(columns) - 1)
            high = max((_height(column) for column in columns), default=0)
            if scale > 0.9 and _torn(columns):  # W_Q, W_K and W_V stand below one another
                continue
            if width <= WIDTH / scale and high <= height / scale:
                return BoardLayout(columns, scale)
    return BoardLayout(_columns(figures, height / SCALES[-1], False), SCALES[-1], fits=False)


def _torn(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether matrices of one stage, operands all, stand in more than one column."""
    pairs = itertools.pairwise(columns)
    return any(stage(left[-1]) == stage(right[0]) < 4 for left, right in pairs)


def _columns(figures: Sequence[Any], height: float, apart: bool) -> list[list[Any]]:
    columns: list[list[Any]] = []
    for figure in sorted(figures, key=stage):
        new = not columns or (apart and stage(columns[-1][-1]) != stage(figure))
        if new or _height([*columns[-1], figure]) > height:
            columns.append([])
        columns[-1].append(figure)
    return columns


def _height(column: Sequence[Any]) -> float:
    return float(sum(item.size()[1] for item in column)) + GAP * (len(column) - 1)


# ---- what stands beside what a step shows ----


def sources_of(node: GraphNode, titled: Iterable[GraphNode]) -> list[GraphNode]:
    """The matrices that a node was made of, each the nearest one that has a name."""
    known, found = set(titled), []
    inputs = node.inputs[-1:] if node.op == "concat" and len(node.inputs) > 1 else node.inputs
    for each in inputs:
        named = each.op == "given" and each.parameters["name"] not in ("mask", "empty", "X")
        if each in known or named:
            found.append(each)
        elif each.op not in ("given", None) and (each.op != "matmul" or node.op == "concat"):
            found += sources_of(each, known)
    return list(dict.fromkeys(found))


def rows_given(nodes: Iterable[GraphNode]) -> list[GraphNode]:
    """The rows of embeddings that these nodes come from, those that can be changed."""
    todo, seen, found = list(nodes), set(), []
    while todo:
        node = todo.pop(0)
        if node in seen:
            continue
        seen.add(node)
        if node.op == "rows" and node.inputs[0].edit:
            found.append(node)
        todo += node.inputs
    return found


def given_table(node: GraphNode, language_head: str) -> Table:
    """The table of a matrix that no lesson has shown, from what the example says of it."""
    parameters = node.parameters
    title = str(parameters.get("name", ""))
    if parameters.get("heads", 1) > 1:
        title += f", {language_head.format(number=parameters['head'] + 1)}"
    count, width = node.value.shape
    rows = parameters.get("rows") or [str(i + 1) for i in range(count)]
    cols = parameters.get("cols") or [str(j + 1) for j in range(width)]
    return Table(title, node.value.tolist(), [str(r) for r in rows], [str(c) for c in cols])


PARTS = ("X", "QKV", "cache", "S", "softmax", "output", "logits")


def part_of(node: GraphNode | None) -> str:
    """Where in the whole flow a matrix stands, by the operation that made it."""
    if node is None:
        return ""
    name = node.parameters.get("name", "")
    if node.op in ("rows", "given"):
        if name in ("W_O", "W_vocab"):
            return "output" if name == "W_O" else "logits"
        return "X" if node.op == "rows" or name == "X" else "softmax" if name == "mask" else "QKV"
    if node.op == "matmul":
        right = node.inputs[1]
        if right.parameters.get("name") in ("W_O", "W_vocab"):
            return part_of(right)
        if all(each.op in ("given", "rows") for each in node.inputs):
            return "QKV"
        return "S" if right.op == "transpose" else "output"
    if node.op == "concat":
        return "output" if node.parameters.get("axis") else "cache"
    if node.op in ("slice", "transpose"):
        return part_of(node.inputs[0])
    return "" if node.op is None else "softmax"


# ---- as HTML ----


def figure_html(figure: BoardFigure, translate: Translate, precision: int, label: str) -> str:
    """A `<figure>` with its table; without a script it is a table like any other."""
    table, title = figure.table, formula(translate(figure.table.title))
    small = f"<small>{escape(title.note)}</small>" if title.note else ""
    caption = f"<figcaption>{title.html}{small}</figcaption>" if table.title else ""
    known = figure.node is not None and figure.node.op is not None
    kind = ["m", *(["plain"] if figure.plain else []), *([] if figure.own else ["operand"])]
    digits = table.digits or [precision] * max(map(len, table.cells), default=0)
    numbers = [c for row in table.cells for c in row if not isinstance(c, str) and abs(c) < 1e300]
    most = max([1e-9, *(abs(value) for value in numbers)])
    parts = [
        f'<figure class="{" ".join(kind)}" data-node="{figure.id}"'
        f' data-name="{escape(title.name)}" data-part="{part_of(figure.node)}"'
        f' style="--w:{max([2.1, *figure.widths()]):.2f}em;--rh:{figure.row_height}em">{caption}'
        f'<table aria-label="{escape(translate(table.title) or label)}">'
    ]
    if table.cols:
        corner = _head(table.corner, "col", translate) if table.rows else ""
        heads = "".join(
            _head(head, "col", translate, all(isinstance(row[j], str) for row in table.cells))
            for j, head in enumerate(table.cols)
        )
        parts.append(f"<thead><tr>{corner}{heads}</tr></thead>")
    parts.append("<tbody>")
    for i, row in enumerate(table.cells):
        parts.append(f"<tr>{_head(table.rows[i], 'row', translate) if table.rows else ''}")
        for j, cell in enumerate(row):
            text = translate(cell) if isinstance(cell, str) else number(cell, digits[j])
            classes = ["text"] if isinstance(cell, str) else []
            if table.marks and table.marks[i][j]:
                classes.append(f"wt-{table.marks[i][j]}")
            heat = ""
            if known and not isinstance(cell, str):
                classes += ["neg"] if cell < 0 else []
                share = min(1.0, abs(cell) / most) if abs(cell) < 1e300 else 0.0
                heat = f' style="--h:{share:.3g}"' if share else ""
            named = f' class="{" ".join(classes)}"' if classes else ""
            place = f' data-row="{i}" data-col="{j}"' if known else ""
            html = strip_html(text) if isinstance(cell, Strip) else escape(text)
            parts.append(f"<td{named}{place}{heat}>{html}</td>")
        parts.append("</tr>")
    parts.append("</tbody></table></figure>")
    return "".join(parts)


def _head(text: str, scope: str, translate: Translate, left: bool = False) -> str:
    if not text.strip():
        return "<td></td>"
    words = translate(text)
    korean = ' lang="ko"' if re.search("[가-힣]", words) else ""
    return f'<th scope="{scope}"{korean}{" class=text" * left}>{escape(words)}</th>'
