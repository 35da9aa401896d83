"""The KV cache and PagedAttention by numbers: see README.md, or run ``walkthrough``.

What a lesson shows with; the rest of the course is in `walkthrough.paging`, `.reference`,
`.document`, `.llm` and `.serving`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.display.pictures import Timeline as Timeline
    from walkthrough.display.pictures import draw_block_table as draw_block_table
    from walkthrough.display.pictures import draw_memory as draw_memory
    from walkthrough.display.pictures import draw_pool as draw_pool
    from walkthrough.display.pictures import draw_rows as draw_rows
    from walkthrough.display.pictures import draw_shares as draw_shares
    from walkthrough.display.pictures import draw_timeline as draw_timeline
    from walkthrough.display.plots import draw_heat as draw_heat
    from walkthrough.display.plots import plot as plot
    from walkthrough.display.roofline_picture import RooflinePoint as RooflinePoint
    from walkthrough.display.roofline_picture import attainable as attainable
    from walkthrough.display.roofline_picture import draw_roofline as draw_roofline
    from walkthrough.display.show import show as show
    from walkthrough.display.show import show_attention as show_attention
    from walkthrough.display.show import spell as spell
    from walkthrough.display.show import spell_softmax as spell_softmax
    from walkthrough.document.current_example import example as example
    from walkthrough.installation import __version__ as __version__
    from walkthrough.llm.loading import language_model as language_model

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
