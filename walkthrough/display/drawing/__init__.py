"""Pictures that are drawn twice: in characters for a terminal, as SVG for a page."""
