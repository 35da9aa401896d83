"""What to print where a console cannot encode a character: something readable instead.

The replacing is done before anything is measured, so that columns line up afterwards. So it is
with what steers a terminal and is not seen, in whatever files, names and messages it came: all
text passes here on its way out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Control characters but tab and newline, marks that turn the direction of writing or are not
# seen at all, other ends of lines, halves of characters. Joiners stay: emoji and scripts use them.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)

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


def escaped(text: str) -> str:
    r"""Text with what would steer a terminal spelled out, as Python spells it: \x1b."""
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def on_one_line(text: str, most: int | None = None) -> str:
    """Text without line ends and tabs; of more characters than `most`, the middle is left out."""
    text = text.replace("\r\n", " ").replace("\n", " ").replace("\t", " ")
    return text if most is None or len(text) <= most else f"{text[: most - 203]} … {text[-200:]}"


def cut_short(text: str, most: int = 80) -> str:
    """The beginning of a name or key that somebody has made very long, or of several lines."""
    text = on_one_line(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


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
        """The text with every character replaced that cannot be encoded or is better not sent."""
        text = escaped(text)
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
