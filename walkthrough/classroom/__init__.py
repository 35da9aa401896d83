"""How it is shown: lessons, tables, pictures, the audit. Lessons import from here.

The names are loaded when first used, so that `walkthrough list` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from walkthrough.classroom.needs import language_model as language_model
    from walkthrough.classroom.pictures import Timeline as Timeline
    from walkthrough.classroom.pictures import draw_block_table as draw_block_table
    from walkthrough.classroom.pictures import draw_memory as draw_memory
    from walkthrough.classroom.pictures import draw_pool as draw_pool
    from walkthrough.classroom.pictures import draw_rows as draw_rows
    from walkthrough.classroom.pictures import draw_shares as draw_shares
    from walkthrough.classroom.pictures import draw_timeline as draw_timeline
    from walkthrough.classroom.plots import draw_heat as draw_heat
    from walkthrough.classroom.plots import plot as plot
    from walkthrough.classroom.printing import show as show
    from walkthrough.classroom.printing import show_attention as show_attention
    from walkthrough.classroom.printing import spell as spell
    from walkthrough.classroom.printing import spell_softmax as spell_softmax
    from walkthrough.classroom.what_if import example as example

_HOMES = {
    "Timeline": "pictures",
    "draw_block_table": "pictures",
    "draw_heat": "plots",
    "draw_memory": "pictures",
    "draw_pool": "pictures",
    "draw_rows": "pictures",
    "draw_shares": "pictures",
    "draw_timeline": "pictures",
    "example": "what_if",
    "language_model": "needs",
    "plot": "plots",
    "show": "printing",
    "show_attention": "printing",
    "spell": "printing",
    "spell_softmax": "printing",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
