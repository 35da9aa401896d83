"""A command's output as one HTML file: prose, tables, pictures; no script, no network."""

from __future__ import annotations

import io
from collections.abc import Iterable
from html import escape

from walkthrough.display.drawing.picture import Picture, picture_html, picture_style
from walkthrough.display.html import scrolling_table, table_style
from walkthrough.display.screen import Screen
from walkthrough.display.table import Line, Table

DOCUMENT_STYLE = """\
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #14171c); --ink: light-dark(#1a1d24, #ebe8e2);
  --quiet: light-dark(#565c68, #a8aeb9); --line: light-dark(#d9d7d0, #3a404b);
  --wire: light-dark(#b9b7b0, #6a7280); --accent: light-dark(#0b57a4, #8ab8ee);
  --source: light-dark(#a8480a, #ffb066); --third: light-dark(#00705a, #5cc9ae);
  --tile: light-dark(#f1efe9, #242932);
}
* { box-sizing: border-box; }
html { font-size: max(100%, min(1.25vw, 2.2vh)); -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 70rem; padding: 1.2rem 1.5rem 3rem; background: var(--paper);
  color: var(--ink); line-height: 1.45; font-variant-numeric: tabular-nums;
  font-family: "Pretendard", "Apple SD Gothic Neo", "Noto Sans KR", "Noto Sans CJK KR",
    "Malgun Gothic", system-ui, sans-serif;
}
:lang(ko) { word-break: keep-all; overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem; }
p, ul { max-width: 46rem; margin-block: .5rem; }
code { background: var(--tile); border-radius: .2em; padding: 0 .25em; }
:focus-visible { outline: .13rem solid var(--accent); outline-offset: .1rem; }
.scroll { overflow-x: auto; } .wt { font-size: .9rem; } .pic .wt { font-size: .8rem; }
.pic { margin-block: 1.8rem; width: 100%; }
.pic summary { cursor: pointer; color: var(--accent); } .pic figcaption { font-size: 1.15rem; }
@media (min-width: 56rem) { /* the values beside the picture */
  main > .pic {
    display: grid; grid-template-columns: minmax(0, 38rem) minmax(0, 1fr); gap: 0 1.6rem;
    align-items: start;
  }
  main > .pic figcaption { grid-column: 1 / -1; }
}
@media (max-width: 40rem) {
  body { padding-inline: 1rem; }
  .pic text { font-size: 30px; } .pic .axis { font-size: 26px; } .pic .minor { display: none; }
  .pic :is(.s0, .s1, .s2, .s3, .legend) { font-size: 25px; }
}
@page { size: A4; margin: 14mm; }
@media print {
  :root { color-scheme: light; --paper: #fff; }
  html { font-size: 9pt; } body { padding: 0; max-width: none; }
  .pic, table { break-inside: avoid; } .pic { width: 100%; }
  details::details-content { content-visibility: visible !important; display: block; }
  * { print-color-adjust: exact; }
}
"""


class DocumentScreen(Screen):
    """A screen that becomes a page: what is shown on it stands there in order."""

    def __init__(self, precision: int, values: str) -> None:
        super().__init__(io.StringIO(), precision=precision)
        self._values = values  # what a picture's numbers are called
        self._parts: list[str] = []

    def prose(self, markdown: str) -> None:
        """Markdown."""
        from markdown_it import MarkdownIt

        self._parts.append(str(MarkdownIt("commonmark", {"html": False}).render(markdown)))

    def text(self, text: str = "", style: str = "") -> None:
        """A paragraph; an empty line is none."""
        if text:
            self._parts.append(f"<p>{escape(text)}</p>")

    def table(self, table: Table) -> None:
        """A table that scrolls where it is too wide."""
        self._parts.append(scrolling_table(table, self.precision, self._values))

    def draw(self, picture: Picture) -> None:
        """A picture, and its values."""
        self._parts.append(picture_html(picture, self.precision, self._values, opened=True))

    def block(self, lines: Iterable[Line]) -> None:
        """Lines as they are."""
        text = "\n".join("".join(text for text, _ in line) for line in lines)
        self._parts.append(f'<pre class="scroll" tabindex="0">{escape(text)}</pre>')

    def html(self, title: str, language: str) -> str:
        """The whole file."""
        policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
        return (
            f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f"<title>{escape(title)}</title>\n"
            f"<style>\n{picture_style()}{table_style()}{DOCUMENT_STYLE}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{escape(title)}</h1>\n{chr(10).join(self._parts)}\n</main>\n</body>\n</html>\n"
        )
