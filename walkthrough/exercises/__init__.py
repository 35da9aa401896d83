"""Exercises that check themselves: found, copied, watched, checked in a process of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from walkthrough.lazy import lazy_names

if TYPE_CHECKING:
    from walkthrough.exercises.checking.compare import raises as raises
    from walkthrough.exercises.checking.compare import same as same
    from walkthrough.exercises.in_notebook import check as check

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
