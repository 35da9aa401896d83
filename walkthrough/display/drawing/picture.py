"""What a picture is: lines for a terminal, SVG for a page, and its values as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol

from walkthrough.display.html import table_html

if TYPE_CHECKING:
    from walkthrough.display.table import Line, Table

WIDTH, HEIGHT = 760.0, 430.0  # of an SVG, in its own units; text has 20, on a phone 32
ASPECT = HEIGHT / WIDTH


class Picture(Protocol):
    """Something to look at, with a title."""

    @property
    def title(self) -> str:
        """What stands above it."""

    def lines(self, width: int, readable: Callable[[str], str]) -> list[Line]:
        """In characters, at most `width` cells wide; `readable` replaces what cannot be encoded."""

    def svg(self) -> str:
        """As an `<svg>` that has its colours from the page."""

    def values(self) -> Table:
        """The numbers that it shows."""


class Strip(str):
    """A cell of a table whose characters are a picture: a page colours them."""

    __slots__ = ()


def drawn(title: str, parts: Sequence[str], height: float = HEIGHT) -> str:
    """An `<svg>` of these parts; its title is its name for who cannot see it."""
    return (
        f'<svg role="img" viewBox="0 0 {WIDTH:g} {height:g}" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def words(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """A text, its baseline at y."""
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{named}>{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def box(x: float, y: float, width: float, height: float, kind: str, told: str = "") -> str:
    """A filled rectangle; `told` is shown by pointing at it."""
    title = f"<title>{escape(told)}</title>" if told else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
        f' class="{kind}">{title}</rect>'
    )


MARK_FORMS = ("circle", "cross", "diamond", "triangle")  # of curves and percentiles, in this order


def mark(x: float, y: float, kind: int, told: str = "") -> str:
    """The mark number `kind`, told apart by its form and not by its colour alone."""
    r = 7.5
    paths = {
        "circle": f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        "cross": f"M{x - r:.1f} {y - r:.1f}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}",
        "diamond": f"M{x:.1f} {y - 1.3 * r:.1f}l{1.3 * r} {1.3 * r}l{-1.3 * r} {1.3 * r}"
        f"l{-1.3 * r} {-1.3 * r}z",
        "triangle": f"M{x:.1f} {y - 1.2 * r:.1f}l{1.2 * r} {2.2 * r}h{-2.4 * r}z",
    }
    title = f"<title>{escape(told)}</title>" if told else ""
    return f'<path d="{paths[MARK_FORMS[kind % 4]]}" class="mark s{kind % 4}">{title}</path>'


def picture_html(picture: Picture, precision: int, label: str, *, opened: bool = False) -> str:
    """A `<figure>`: the picture under its title, its values to be opened below, named `label`."""
    caption = f"<figcaption>{escape(picture.title)}</figcaption>" if picture.title else ""
    return (
        f'<figure class="pic">{caption}{picture.svg()}<details class="pop"{" open" * opened}>'
        f'<summary>{escape(label)}</summary><div class="wt scroll" role="group" tabindex="0"'
        f' aria-label="{escape(label)}">{table_html(picture.values(), precision)}</div>'
        "</details></figure>"
    )


STRIP_KINDS = {"#": "prefill", "+": "mixed", "-": "decode", ".": "idle"}


def strip_html(text: str) -> str:
    """A strip's characters, each run of equal ones in its colour."""
    parts = []
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or text[i] != text[start]:
            kind = STRIP_KINDS.get(text[start], "idle")
            parts.append(f'<span class="{kind}">{escape(text[start:i])}</span>')
            start = i
    return f'<span class="strip">{"".join(parts)}</span>'


@lru_cache(maxsize=1)
def picture_style() -> str:
    """The style of pictures, which has its colours from the page's."""
    return (
        files("walkthrough.display").joinpath("drawing", "pictures.css").read_text(encoding="utf-8")
    )
