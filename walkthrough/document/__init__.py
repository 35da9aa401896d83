"""The text that the course makes executable: its example, its figures, its mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.document.example import Example as Example
    from walkthrough.document.example_file import document as document
    from walkthrough.document.example_file import load_example as load_example
    from walkthrough.document.figures import PRINTED as PRINTED
    from walkthrough.document.figures import Figure as Figure
    from walkthrough.document.figures import evidence as evidence
    from walkthrough.document.figures import printed as printed

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
