"""Minutes: what a lesson is planned to take, and what it took."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.presenter.slides import Slide


def clock(seconds: float) -> str:
    """Seconds as 4:05, or 1:04:05."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def planned(slides: Sequence[Slide]) -> float:
    """Minutes that the notes of these slides plan."""
    return sum(slide.notes.minutes for slide in slides)
