"""What to print where a console cannot encode a character: something readable instead.

The replacing is done before anything is measured, so that columns line up afterwards.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

FALLBACKS = {
    "·": "*", "×": "x", "÷": "/", "−": "-", "–": "-", "—": "-", "―": "-",
    "√": "sqrt", "∞": "inf", "Σ": "sum", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~",
    "→": "->", "←": "<-", "↓": "v", "↑": "^", "⇒": "=>", "↵": "",
    "ᵀ": "^T", "²": "^2", "³": "^3", "½": "1/2", "π": "pi",
    "│": "|", "─": "-", "┼": "+", "┴": "+", "├": "+", "└": "+", "┌": "+", "┐": "+", "┘": "+",
    "■": "#", "□": ".", "●": "*", "○": "o", "█": "#", "░": ".", "▌": "|", "•": "*",
    "✓": "v", "✗": "x", "…": "...", "‘": "'", "’": "'", "“": '"', "”": '"',
    "「": '"', "」": '"', "\u00a0": " ",
}  # fmt: skip

# Revised Romanization of Korean (2000), syllable by syllable.
INITIALS = "g kk n d tt r m b pp s ss - j jj ch k t p h".replace("-", "").split(" ")
VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split(" ")  # noqa: SIM905
FINALS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t".replace("-", "").split(" ")


def romanise(syllable: str) -> str:
    """A precomposed Hangul syllable in Latin letters: 나 → na."""
    index = ord(syllable) - ord("가")
    initial, rest = divmod(index, 21 * 28)
    vowel, final = divmod(rest, 28)
    return INITIALS[initial] + VOWELS[vowel] + FINALS[final]


class Charset:
    """Text as a given encoding can carry it."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self._readable = lru_cache(maxsize=4096)(self._replacement)

    def encodes(self, text: str) -> bool:
        """Whether the encoding has every character of the text."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def readable(self, text: str) -> str:
        """The text with every character that cannot be encoded replaced."""
        if self.encodes(text):
            return text
        return "".join(map(self._readable, text))

    def _replacement(self, character: str) -> str:
        if self.encodes(character):
            return character
        if character in FALLBACKS:
            return self.readable(FALLBACKS[character])
        if "가" <= character <= "힣":
            return romanise(character)
        plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
        return plain or "?"
