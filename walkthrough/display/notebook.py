"""`show` and the pictures in a Jupyter notebook: tables of HTML that scroll where they are wide."""

from __future__ import annotations

import sys

from walkthrough.display.html import scrolling_table, table_style
from walkthrough.display.screen import DEFAULT_PRECISION, DEFAULT_WIDTH, Screen
from walkthrough.display.table import Table, layout

precision = DEFAULT_PRECISION  # digits after the point in this notebook


def in_notebook() -> bool:
    """Whether this is a Jupyter kernel, which shows HTML; asked of IPython only if it is there."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def bundle(table: Table, digits: int) -> dict[str, str]:
    """The table in the forms that a notebook can show, by MIME type."""
    lines = layout(table, width=DEFAULT_WIDTH, precision=digits)
    plain = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    html = scrolling_table(table, digits, "table")
    return {"text/html": f"<style>{table_style()}</style>{html}", "text/plain": plain}


class NotebookScreen(Screen):
    """A screen whose tables are displayed; lines are printed."""

    def __init__(self) -> None:
        super().__init__(precision=precision)

    def table(self, table: Table) -> None:
        """Display a table."""
        from IPython.display import display

        sys.stdout.flush()  # what was printed before stands before
        display(bundle(table, self.precision), raw=True)
