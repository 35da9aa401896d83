"""The screen that `show` prints to, wherever it is called."""

from __future__ import annotations

import sys

from walkthrough.display.screen import Screen, running_screen


def current() -> Screen:
    """A lesson's, while one runs; else a notebook's, or plain text to standard output."""
    if screen := running_screen.get(None):
        return screen
    if "IPython" in sys.modules:
        from walkthrough.display import notebook

        if notebook.in_notebook():
            return notebook.NotebookScreen()
    return Screen(encoding=getattr(sys.stdout, "encoding", None) or "utf-8")
