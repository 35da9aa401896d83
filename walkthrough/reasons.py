"""Why the system refused to read or write a file, in both languages."""

from __future__ import annotations

from walkthrough.reason_words import REASONS

KOREAN = {text: REASONS["ko"][name] for name, text in REASONS["en"].items()}


class Reason:
    """The system's words, which are English; in Korean by `ko`, where a sentence asks for it."""

    def __init__(self, error: OSError | str) -> None:
        self.text = error if isinstance(error, str) else error.strerror or str(error)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    @property
    def ko(self) -> str:
        """Korean for what can be met with; the system's own words for the rest."""
        return KOREAN.get(self.text, self.text)
