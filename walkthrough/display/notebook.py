"""`show` and the pictures in a Jupyter notebook: tables of HTML that scroll where they are wide."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from walkthrough.display.html import scrolling_table, table_style
from walkthrough.display.screen import DEFAULT_PRECISION, DEFAULT_WIDTH, Screen
from walkthrough.display.table import Table, layout

if TYPE_CHECKING:
    from walkthrough.display.drawing.picture import Picture

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


# A notebook's own light or dark is not known to a picture: colours that are seen on both.
PICTURE_COLOURS = """\
.pic {
  --ink: currentColor; --quiet: currentColor; --line: rgb(128 128 128 / .35); --accent: #2f7fd0;
  --source: #cf6a17; --third: #0f9a7a; --wire: #8a919c; --tile: rgb(128 128 128 / .14);
  --paper: transparent; max-width: 44rem;
}
.pic figcaption { color: inherit; } .pic text { fill: currentColor !important; }
"""


def picture_bundle(picture: Picture, digits: int) -> dict[str, str]:
    """A picture in the forms that a notebook can show: SVG with its values, and characters."""
    from walkthrough.display.drawing.picture import picture_html, picture_style

    lines = picture.lines(DEFAULT_WIDTH, str)
    plain = "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    html = picture_html(picture, digits, "values")
    style = f"<style>{table_style()}{picture_style()}{PICTURE_COLOURS}</style>"
    return {"text/html": style + html, "text/plain": plain}


class NotebookScreen(Screen):
    """A screen whose tables and pictures are displayed; lines are printed."""

    def __init__(self) -> None:
        super().__init__(precision=precision)

    def table(self, table: Table) -> None:
        """Display a table."""
        from IPython.display import display

        sys.stdout.flush()  # what was printed before stands before
        display(bundle(table, self.precision), raw=True)

    def draw(self, picture: Picture) -> None:
        """Display a picture."""
        from IPython.display import display

        sys.stdout.flush()
        display(picture_bundle(picture, self.precision), raw=True)
