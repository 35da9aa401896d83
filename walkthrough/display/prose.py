"""Markdown in a terminal: rich's renderer, less what would lose or shift something.

Its bullets and quote bars are not in every encoding, its tables shorten cells with an
ellipsis, and its lines are padded with spaces to the full width.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    ListElement,
    ListItem,
    Markdown,
    MarkdownElement,
    TableElement,
)
from rich.segment import Segment
from rich.styled import Styled
from rich.text import Text


def as_it_stands(text: str) -> str:
    """Text as Markdown that shows just this text, whatever marks are in it."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


class LeftHeading(Heading):
    """A heading to the left; the lesson's own title underlined with a rule of its width."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = {"h1": "bold magenta", "h2": "bold cyan"}.get(self.tag, "bold")
        text = Text(self.text.plain, style=style)
        yield text
        if self.tag in ("h1", "h2"):
            mark = "=" if self.tag == "h1" else "-"
            yield Text(mark * min(text.cell_len, options.max_width), style="dim")


class DashItem(ListItem):
    """A list item behind a dash."""

    def render_bullet(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The item's lines, the first behind the dash."""
        lines = console.render_lines(
            self.elements, options.update(width=max(1, options.max_width - 2)), style=self.style
        )
        for i, line in enumerate(lines):
            yield Segment("- " if i == 0 else "  ")
            yield from line
            yield Segment("\n")


class BarQuote(BlockQuote):
    """A quotation behind a bar that the console can encode."""

    def __init__(self, bar: str) -> None:
        super().__init__()
        self.bar = bar

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> MarkdownElement:
        """The bar comes with the text that it stands beside."""
        assert isinstance(markdown, LessonMarkdown)
        return cls(markdown.readable("│"))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(
            self.elements, options.update(width=max(1, options.max_width - 2))
        )
        for line in lines:
            yield Segment(f"{self.bar} ", console.get_style("magenta"))
            yield from line
            yield Segment("\n")


class WholeTable(TableElement):
    """A Markdown table whose cells are folded where the screen is narrow, never shortened."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.table import Table

        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        if self.header and self.header.row:
            for cell in self.header.row.cells:
                table.add_column(cell.content, overflow="fold")
        if self.body:
            for row in self.body.rows:
                table.add_row(*(cell.content for cell in row.cells))
        yield Styled(table, "none")


class PlainCode(CodeBlock):
    """Code that is read and not run: indented, without a background that blots the screen."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in str(self.text).rstrip().split("\n"):
            yield Text(f"    {line}", style="bold", overflow="fold")


class LessonMarkdown(Markdown):
    """rich's Markdown with the elements above, where `<EOS>` is text and no HTML tag."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": LeftHeading,
        "list_item_open": DashItem,
        "bullet_list_open": ListElement,
        "blockquote_open": BarQuote,
        "table_open": WholeTable,
        "fence": PlainCode,
        "code_block": PlainCode,
    }

    def __init__(self, console: Console, readable: Callable[[str], str]) -> None:
        super().__init__("", hyperlinks=False)
        self.console, self.readable = console, readable
        # Made once: a lesson has dozens of pieces of prose.
        self.parser = MarkdownIt("commonmark", {"html": False}).enable("table")

    def render(self, markdown: str, width: int) -> str:
        """The Markdown as text for the console, without spaces at the ends of lines."""
        self._parse(markdown)
        with self.console.capture() as capture:
            self.console.print(self, width=width)
        return "".join(line.rstrip() + "\n" for line in capture.get().strip("\n").splitlines())

    def segments(self, markdown: str, width: int) -> list[list[Segment]]:
        """The Markdown as lines of styled pieces, for who draws the screen."""
        self._parse(markdown)
        options = self.console.options.update(width=width)
        lines = self.console.render_lines(self, options, pad=False)
        texts = ["".join(segment.text for segment in line).strip() for line in lines]
        full = [i for i, text in enumerate(texts) if text]
        return lines[full[0] : full[-1] + 1] if full else []

    def _parse(self, markdown: str) -> None:
        """Where there is no colour to tell code by, it keeps its backticks."""
        self.parsed = self.parser.parse(markdown)
        for token in self._flatten_tokens(self.parsed):
            # Not before parsing: a · that becomes * would be read as Markdown.
            token.content = self.readable(token.content)
            if token.type == "code_inline" and self.console.color_system is None:
                token.content = f"`{token.content}`"
