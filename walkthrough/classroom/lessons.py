"""The lesson files: where they are, their titles, and their parts.

A lesson is a Markdown file: one `#` title, a `##` heading for each step, prose, and fenced
`python` blocks of doctest examples. The same file is run here, read on a page, and tested.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


class LessonError(Exception):
    """A lesson or a language that is not there."""

    def __init__(self, kind: str, **fields: object) -> None:
        self.kind, self.fields = kind, fields
        super().__init__(f"{kind}: {fields}")


@dataclass(frozen=True)
class Lesson:
    """A lesson's file: 05_decode_with_cache.md is number 5."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def number(self) -> int:
        """The number in front of the name."""
        return int(self.name.split("_")[0])

    @property
    def title(self) -> str:
        """The text of its first heading, which stands in the first line."""
        with self.path.open(encoding="utf-8-sig") as file:
            return re.sub(r"^#\s*([0-9]+\.)?\s*", "", file.readline()).strip()

    @property
    def needs(self) -> tuple[str, ...]:
        """What it needs besides the base installation, from a comment `<!-- needs: model -->`."""
        found = re.search(r"^<!-- needs: (.*) -->$", self.path.read_text("utf-8-sig"), re.MULTILINE)
        return tuple(found[1].split(", ")) if found else ()


@dataclass(frozen=True)
class Prose:
    """A piece of Markdown."""

    markdown: str


@dataclass(frozen=True)
class Code:
    """A fenced block of doctest examples; `line` is where its first line stands in the file."""

    source: str
    line: int


Step = list[Prose | Code]


def lessons_folder() -> Path:
    """`lessons` beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "lessons"
    return inside if inside.is_dir() else package.parent / "lessons"


def find_lessons(language: str) -> list[Lesson]:
    """All lessons in a language, in order. Raises LessonError where the language is missing."""
    folder = lessons_folder() / language
    found = sorted(folder.glob("[0-9][0-9]_*.md")) if language.isidentifier() else []
    if not found:
        known = sorted(path.name for path in lessons_folder().glob("??"))
        raise LessonError("language", language=language, known=", ".join(known))
    return [Lesson(path) for path in found]


def choose(lessons: list[Lesson], wanted: list[str]) -> list[Lesson]:
    """The lessons asked for by number (5, 05) or name, in the order asked for; none means all."""
    chosen = []
    for want in wanted:
        name = want.removesuffix(".md")
        for lesson in lessons:
            if name == lesson.name or re.fullmatch(f"0*{lesson.number}", name):
                chosen.append(lesson)
                break
        else:
            known = ", ".join(lesson.name for lesson in lessons)
            raise LessonError("lesson", lesson=want, known=known)
    return chosen or lessons


def steps(lesson: Lesson) -> list[Step]:
    """The lesson cut at its `##` headings, each step in its prose and code blocks."""
    from markdown_it import MarkdownIt

    text = lesson.path.read_text(encoding="utf-8-sig")
    lines = text.splitlines(keepends=True)
    found: list[Step] = [[]]
    prose_from = 0

    def close_prose(end: int) -> None:
        markdown = "".join(lines[prose_from:end]).strip()
        if markdown:
            found[-1].append(Prose(markdown))

    for token in MarkdownIt().parse(text):
        if token.level != 0 or token.map is None:
            continue
        start, end = token.map
        if token.type == "heading_open" and token.tag == "h2":
            close_prose(start)
            prose_from = start
            found.append([])
        elif token.type == "fence" and token.info == "python":
            close_prose(start)
            prose_from = end
            found[-1].append(Code(token.content, start + 2))
        elif token.type == "html_block" and token.content.startswith("<!-- page -->"):
            close_prose(start)  # the rest is for the page: links from lesson to lesson
            prose_from = len(lines)
            break
        elif token.type == "html_block" and token.content.startswith("<!--"):
            close_prose(start)  # a comment is for the file's reader
            prose_from = end
    close_prose(len(lines))
    return [step for step in found if step]
