"""A lesson's prose as HTML: raw HTML is shown as text, tables scroll, nothing is fetched."""

from __future__ import annotations

import base64
import mimetypes
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token


class PageProse:
    """Renders the prose of one lesson.

    Links to lessons in `pages` (names of files without ending) lead to their pages. A picture
    that lies beside the lesson, in `folder`, is put into the page; any other is only named.
    `labels` has the accessible names `table` and `code` for what scrolls.
    """

    def __init__(self, folder: Path, pages: Collection[str], labels: dict[str, str]) -> None:
        self._env = {"folder": folder, "pages": pages, "labels": labels}

    def html(self, markdown: str) -> str:
        """Blocks of Markdown as HTML."""
        return str(_parser().render(markdown, self._env))

    def inline(self, markdown: str) -> str:
        """A line of Markdown as HTML."""
        return str(_parser().renderInline(markdown, self._env))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for rule in (_table_open, _table_close, _th_open, _link_open, _fence, _code_block, _image):
        parser.add_render_rule(rule.__name__.removeprefix("_"), rule)
    return parser


Tokens = Sequence[Token]


def _table_open(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    label = escape(env["labels"]["table"])
    return f'<div class="scroll" role="group" tabindex="0" aria-label="{label}"><table>\n'


def _table_close(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    return "</table></div>\n"


def _th_open(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("scope", "col")
    return str(self.renderToken(tokens, index, options, env))


def _link_open(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    target = str(tokens[index].attrs.get("href", ""))
    if (name := target.removesuffix(".md")) != target and name in env["pages"]:
        tokens[index].attrSet("href", f"{name}.html")
    return str(self.renderToken(tokens, index, options, env))


def _fence(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    label, code = escape(env["labels"]["code"]), escape(tokens[index].content.rstrip())
    return f'<pre class="scroll" role="group" tabindex="0" aria-label="{label}">{code}</pre>\n'


def _code_block(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    return _fence(self, tokens, index, options, env)


def _image(self: Any, tokens: Tokens, index: int, options: Any, env: Any) -> str:
    token = tokens[index]
    source = str(token.attrs.get("src", ""))
    text = escape(self.renderInlineAsText(token.children, options, env))
    kind = mimetypes.guess_type(source)[0] or ""
    file = env["folder"] / source
    if kind.startswith("image/") and not re.match(r"\w+:|/", source) and file.is_file():
        data = base64.b64encode(file.read_bytes()).decode()
        return f'<img src="data:{kind};base64,{data}" alt="{text}">'
    return f'<a href="{escape(source)}">{text or escape(source)}</a>'
