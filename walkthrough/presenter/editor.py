"""Choosing a number of the example and typing another one: which keys, and how it looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from walkthrough.display.table import Line, Table
from walkthrough.presenter.view import Segments, View, styled, table_lines

TYPED = tuple("0123456789.,-+*/^%()_eE")
LONGEST_TYPED = 30  # characters
MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True)
class Editor:
    """The table and the cell that are chosen, and what is typed so far."""

    table: int = 0
    row: int = 0
    column: int = 0
    typed: str = ""

    def press(self, key: str, tables: Sequence[Table]) -> Editor:
        """The editor after a key; keys that mean nothing here change nothing."""
        if key in MOVES:
            down, right = MOVES[key]
            cells = tables[self.table].cells
            row = max(0, min(self.row + down, len(cells) - 1))
            column = max(0, min(self.column + right, len(cells[0]) - 1))
            return replace(self, row=row, column=column, typed="")
        if key in ("tab", "shift+tab"):
            step = 1 if key == "tab" else -1
            return Editor((self.table + step) % len(tables))
        if key == "backspace":
            return replace(self, typed=self.typed[:-1])
        if (
            key in TYPED and len(self.typed) < LONGEST_TYPED
        ):  # what is no number is refused as a whole
            return replace(self, typed=self.typed + key)
        return self

    def name(self, tables: Sequence[Table]) -> str:
        """The cell that is chosen, as X[나는][1]."""
        table = tables[self.table]
        if not table.cols:
            return table.title
        return f"{table.title}[{table.rows[self.row]}][{table.cols[self.column]}]"

    def draw(
        self, tables: Sequence[Table], words: dict[str, str], view: View
    ) -> tuple[list[Segments], int]:
        """The lines, and the one on which the chosen cell stands."""
        table = tables[self.table]
        marks = [
            ["now" if (i, j) == (self.row, self.column) else "" for j in range(len(row))]
            for i, row in enumerate(table.cells)
        ]
        names: list[Line] = [[]]
        for i, other in enumerate(tables):
            if sum(len(text) for text, _ in names[-1]) + len(other.title) + 2 > view.width:
                names.append([])
            names[-1] += [(other.title, "now" if i == self.table else "label"), ("  ", "")]
        above: list[Line] = [[(view.readable(words["edit"]), "title")], *names, []]
        lines = table_lines(replace(table, marks=marks), view)
        chosen = next(i for i, line in enumerate(lines) if any(style == "now" for _, style in line))
        value = [
            (view.readable(words["edit.value"]) + " ", "label"),
            (view.readable(self.name(tables)) + " = ", ""),
            (self.typed, "current"),
            (" ", "now"),
        ]
        keys: Line = [(view.readable(words["edit.keys"]), "rule")]
        return styled([*above, *lines, [], value, [], keys]), len(above) + chosen
