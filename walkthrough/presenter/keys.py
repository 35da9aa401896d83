"""Which key does what, with a Latin keyboard or a Korean input method.

On the two-set Korean keyboard the key q gives ㅂ. An input method may also hand over what it
has composed: the keys ㅎ ㅗ arrive as one syllable, 호, and mean g, then h.
"""

from __future__ import annotations

import unicodedata

# Two-set (두벌식) layout: the keys in the order of a Latin keyboard, and their jamo.
LATIN = "qwertyuiopasdfghjklzxcvbnmQWERTOP"
JAMO = "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡㅃㅉㄸㄲㅆㅒㅖ"
KEY_OF = dict(zip(JAMO, LATIN, strict=True))

# Jamo that two keys make.
PAIRS = {
    "ㅘ": "ㅗㅏ", "ㅙ": "ㅗㅐ", "ㅚ": "ㅗㅣ", "ㅝ": "ㅜㅓ", "ㅞ": "ㅜㅔ", "ㅟ": "ㅜㅣ",
    "ㅢ": "ㅡㅣ", "ㄳ": "ㄱㅅ", "ㄵ": "ㄴㅈ", "ㄶ": "ㄴㅎ", "ㄺ": "ㄹㄱ", "ㄻ": "ㄹㅁ",
    "ㄼ": "ㄹㅂ", "ㄽ": "ㄹㅅ", "ㄾ": "ㄹㅌ", "ㄿ": "ㄹㅍ", "ㅀ": "ㄹㅎ", "ㅄ": "ㅂㅅ",
}  # fmt: skip

# The parts of a decomposed syllable (U+1100 …) as letters of their own.
JAMO_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
JAMO_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
JAMO_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
LETTERS = {
    chr(first + i): letter
    for first, letters in ((0x1100, JAMO_INITIALS), (0x1161, JAMO_VOWELS), (0x11A8, JAMO_FINALS))
    for i, letter in enumerate(letters)
}

ACTIONS = {
    "forward": ("right", "down", "pagedown", "space", "l", "j"),
    "back": ("left", "up", "pageup", "backspace", "h", "k"),
    "next_piece": ("n",),
    "previous_piece": ("p",),
    "next_step": ("tab",),
    "previous_step": ("shift+tab",),
    "first": ("home", "g"),
    "last": ("end", "G"),
    "open": ("enter",),
    "detail": ("t",),
    "code": ("c",),
    "larger": ("+", "="),
    "smaller": ("-", "_"),
    "notes": ("s",),
    "edit": ("e",),
    "undo": ("u",),
    "help": ("?", "f1"),
    "quit": ("q",),
}
ACTION_OF = {key: action for action, keys in ACTIONS.items() for key in keys}


def latin(character: str) -> str:
    """The keys behind a character: ㅂ → q, 호 → gh; what is not Korean as it is."""
    keys = ""
    for part in unicodedata.normalize("NFD", character):
        for jamo in PAIRS.get(letter := LETTERS.get(part, part), letter):
            keys += KEY_OF.get(jamo, jamo)
    return keys


def pressed(key: str, character: str | None) -> list[str]:
    """The keys that one event of the terminal stands for, by the names used in ACTIONS."""
    if character and character.isprintable() and character != " ":
        # halfwidth and fullwidth forms, too
        return list(latin(unicodedata.normalize("NFKC", character)))
    return [key]
